// IndexPlan of an index expression: gathernd.at(x)[index].plan().
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/layout.hpp"
#include "gathernd/index_plan.hpp"
#include "indexing.hpp"
#include "options.hpp"
#include "sealed.hpp"

namespace gathernd::bindings {
namespace {

// How the arrays of a plan are viewed: its tuples are indices for the leading axes of such a view.
struct AtFrame {
  std::unique_ptr<const Selection> selection;  // without the arrays
  Frame frame;
  Dims updates_shape;

  std::span<const int64_t> shape() const { return selection->shape(); }
  std::span<const int64_t> rows_shape() const {
    return {updates_shape.begin(), updates_shape.end()};
  }

  void check_input(Operator op, const ArrayView& input) const {
    if (same_shape(input.tensor().shape, shape())) return;
    throw py::value_error(std::string(name(op)) + ": input must have the plan's shape " +
                          text(shape()) + ", not " + text(input.tensor().shape));
  }
};

void check_shape(Operator op, const char* what, const ArrayView& array,
                 std::span<const int64_t> shape) {
  if (same_shape(array.tensor().shape, shape)) return;
  throw py::value_error(std::string(name(op)) + ": " + what + " must have shape " + text(shape) +
                        ", not " + text(array.tensor().shape));
}

std::pair<AtFrame, IndexPlan> make_at_plan(const Selection& given, const py::object& mode,
                                           const std::string& device,
                                           const py::object& wrap_negative_indices) {
  constexpr auto kOp = Operator::kIndexPlan;
  const auto parsed_mode = parse_mode(kOp, mode, "at");
  const bool wraps = parse_wrap_negative_indices(kOp, wrap_negative_indices, "at");
  Backend* const backend = open_backend(device);
  const Selection selection = given.split();
  const bool fixes = !selection.is_plain();  // a plan of leading axes takes arrays as they are
  const Frame frame(selection, wraps, fixes);
  const Indexing indexing(frame);
  if (parsed_mode == Mode::kRaise) indexing.check_unused(wraps);
  const Dims strides = c_strides(selection.shape(), 0);
  const View table({nullptr, {Kind::kUInt8, 1}, selection.shape(), strides}, frame);
  const Dims updates_shape = frame.result_shape(table.tensor());
  auto kept = std::make_unique<const Selection>(selection.without_arrays());
  const Frame kept_frame(*kept, wraps, fixes);
  std::optional<IndexPlan> plan;
  indexing.check_unchanged();
  run_selection(indexing, false, [&] {
    plan.emplace(table.tensor().shape, indexing.indices(), 0, parsed_mode, backend, wraps);
  });
  return {AtFrame{std::move(kept), kept_frame, updates_shape}, *std::move(plan)};
}

py::array gather_at(const AtFrame& at, const IndexPlan& plan, const py::array& input,
                    const std::optional<py::array>& fill_value, const py::object& out) {
  constexpr auto kOp = Operator::kGather;
  const ArrayView from(input, kOp, "input");
  at.check_input(kOp, from);
  const bool fresh = out.is_none();
  py::array result = fresh ? make_array(from.dtype(), at.rows_shape()) : to_out(out, name(kOp));
  const OutputView to(result, fresh, name(kOp), "out", from.dtype());
  check_shape(kOp, "out", to, at.rows_shape());
  const FillValue fill(fill_value, from.dtype());
  const View table(from.tensor(), at.frame);
  const Permuted rows(to.tensor(), at.frame.outer_first());
  check_unchanged(from, to);
  const GilRelease nogil;
  plan.gather(table.tensor(), rows.tensor(), fill.data(), fresh);
  return result;
}

// `input`: the contents of `output` before the updates; None if `output` already has them.
void scatter_at(const AtFrame& at, const IndexPlan& plan, const std::optional<py::array>& input,
                const py::object& output, bool fresh, const py::array& updates,
                const py::object& reduction, const py::object& duplicates) {
  constexpr auto kOp = Operator::kScatter;
  const auto parsed_reduction = parse_reduction(kOp, reduction);
  const auto parsed_duplicates = parse_duplicates(kOp, duplicates);
  const py::array result = to_out(output, name(kOp));
  const ArrayView from(input ? *input : result, kOp, "input");
  const ArrayView rows(updates, name(kOp), "updates", from.dtype());
  const OutputView to(result, fresh, name(kOp), "out", from.dtype());
  at.check_input(kOp, from);
  check_shape(kOp, "out", to, at.shape());
  const View before(from.tensor(), at.frame), table(to.tensor(), at.frame);
  const Tensor values =
      without_extra_dims(parsed_reduction, rows.tensor(), at.updates_shape.size());
  const Broadcast repeated(values, at.rows_shape(), "updates");
  const Permuted moved(repeated.tensor(), at.frame.outer_first());
  check_unchanged(from, rows, to);
  try {
    const GilRelease nogil;
    plan.scatter(before.tensor(), moved.tensor(), table.tensor(), parsed_reduction,
                 parsed_duplicates, fresh);
  } catch (const DuplicateError& error) {
    throw py::value_error(at.selection->describe_duplicates(error.first(), error.second()));
  }
}

}  // namespace

void bind_at_plan(py::module_& m) {
  auto type = sealed_class<AtFrame>(m, "AtFrame");
  type.def("gather", &gather_at, py::arg("plan"), py::arg("input"), py::arg("fill_value"),
           py::arg("out"))
      .def("scatter", &scatter_at, py::arg("plan"), py::arg("input"), py::arg("output"),
           py::arg("fresh"), py::arg("updates"), py::arg("reduction"), py::arg("duplicates"))
      .def_property_readonly("shape", [](const AtFrame& at) { return to_tuple(at.shape()); })
      .def_property_readonly("updates_shape",
                             [](const AtFrame& at) { return to_tuple(at.rows_shape()); })
      .def_property_readonly("covers", [](const AtFrame& at) { return at.selection->covers(); })
      .def_property_readonly("is_plain", [](const AtFrame& at) { return at.selection->is_plain(); })
      .def_property_readonly("text", [](const AtFrame& at) { return at.selection->text(); })
      .def("expression", [](const AtFrame& at, const std::vector<py::object>& arrays) {
        return at.selection->expression(at.frame.fixed(), arrays);
      });
  seal(type);
  m.def("make_at_plan", &make_at_plan, py::arg("selection"), py::arg("mode"), py::arg("device"),
        py::arg("wrap_negative_indices"));
}

}  // namespace gathernd::bindings
