// gathernd.at for Python: the two functions, with separate index arrays and with the result's
// dimensions in the order of NumPy's indexing.
#include "at.hpp"

#include <optional>
#include <string>

#include "at_few.hpp"
#include "core/layout.hpp"
#include "device_array.hpp"
#include "indexing.hpp"
#include "options.hpp"

namespace gathernd::bindings {
namespace {

// Whether a call on the CPU moves so little that it ends before another thread could do much.
bool is_brief(const Backend* backend, const Indexing& indexing, const ArrayView& rows) {
  constexpr double kBytes = 2048;
  return backend == nullptr && rows.bytes() < kBytes && indexing.bytes() < kBytes;
}

// It takes what either operator takes, as a plan does.
Mode to_mode(const py::object& given) { return parse_mode(Operator::kIndexPlan, given, "at"); }

py::array bound_get(const py::array& x, const Selection& selection, const py::object& mode,
                    const std::optional<py::array>& fill_value, const py::object& wraps,
                    const py::object& out, const std::string& device) {
  GatherOptions options;
  options.mode = to_mode(mode);
  options.wrap_negative_indices = parse_wrap_negative_indices(Operator::kGather, wraps, "at");
  options.backend = open_backend(device);
  return get_at(x, selection, fill_value, out, options);
}

void bound_update(const std::optional<py::array>& input, const py::array& output, bool fresh,
                  const Selection& selection, const py::array& updates, const py::object& reduction,
                  const py::object& mode, const py::object& duplicates, const py::object& wraps,
                  const std::string& device) {
  constexpr auto kOp = Operator::kScatter;
  ScatterOptions options;
  options.mode = to_mode(mode);
  options.reduction = parse_reduction(kOp, reduction, "at");
  options.duplicates = parse_duplicates(kOp, duplicates, "at");
  options.wrap_negative_indices = parse_wrap_negative_indices(kOp, wraps, "at");
  options.fresh_output = fresh;
  options.backend = open_backend(device);
  update_at(input ? &*input : nullptr, output, selection, updates, options);
}

}  // namespace

py::array get_at(const py::array& x, const Selection& selection,
                 const std::optional<py::array>& fill_value, const py::object& out,
                 GatherOptions options) {
  options.fresh_output = out.is_none();
  const ArrayView from(x, "at", "x");
  const FillValue fill(fill_value, from.dtype());
  options.fill_value = fill.data();
  const Frame frame(selection, options.wrap_negative_indices);
  const View table(from.tensor(), frame);
  if (options.fresh_output && options.backend == nullptr) {
    if (auto few = gather_few(frame, table, from, options)) return *std::move(few);
  }
  const Indexing indexing(frame);
  if (options.mode == Mode::kRaise) indexing.check_unused(options.wrap_negative_indices);
  const Dims shape = frame.result_shape(table.tensor());
  py::array result =
      out.is_none() ? make_array(from.dtype(), {shape.begin(), shape.end()}) : to_out(out, "at");
  const OutputView to(result, options.fresh_output, "at", "out", from.dtype());
  if (!same_shape(to.tensor().shape, {shape.begin(), shape.end()})) {
    throw py::value_error("at: out must have shape " + text({shape.begin(), shape.end()}) +
                          ", not " + text(to.tensor().shape));
  }
  const Permuted rows(to.tensor(), frame.outer_first());
  check_unchanged(from, to, indexing);
  run_selection(indexing, is_brief(options.backend, indexing, to),
                [&] { gather_nd(table.tensor(), indexing.indices(), rows.tensor(), options); });
  return result;
}

void update_at(const py::array* input, const py::array& output, const Selection& selection,
               const py::array& updates, const ScatterOptions& options) {
  const OutputView to(output, options.fresh_output, "at", "x");
  const ArrayView from(input != nullptr ? *input : output, "at", "x", to.dtype());
  const ArrayView rows(updates, "at", "updates", to.dtype());
  const Frame frame(selection, options.wrap_negative_indices);
  const View table(to.tensor(), frame);
  if (input == nullptr && options.backend == nullptr &&
      update_few(frame, table, to, rows, options)) {
    return;
  }
  const Indexing indexing(frame);
  if (options.mode == Mode::kRaise) indexing.check_unused(options.wrap_negative_indices);
  const View source(from.tensor(), frame);
  const Dims shape = frame.result_shape(table.tensor());
  const Tensor values = without_extra_dims(options.reduction, rows.tensor(), shape.size());
  const Broadcast repeated(values, {shape.begin(), shape.end()}, "updates");
  const Permuted moved(repeated.tensor(), frame.outer_first());
  check_unchanged(to, from, rows, indexing);
  const bool brief = is_brief(options.backend, indexing, rows) &&
                     (input == nullptr || is_brief(nullptr, indexing, to));
  run_selection(indexing, brief, [&] {
    scatter_nd(source.tensor(), indexing.indices(), moved.tensor(), table.tensor(), options);
  });
}

namespace {

// The same of an array on a device, or for a result there. The selection is_plain().
DeviceArray device_at_get(const std::string& device, const py::object& x,
                          const Selection& selection, const py::object& mode,
                          const std::optional<py::array>& fill_value, const DeviceArray* out,
                          const py::object& wraps) {
  constexpr auto kOp = Operator::kGather;
  const PlanOptions options = {
      .mode = to_mode(mode),
      .wrap_negative_indices = parse_wrap_negative_indices(kOp, wraps, "at")};
  const DeviceArgument from(x, kOp, "x");
  const FillValue fill(fill_value, from.dtype());
  const Frame frame(selection, options.wrap_negative_indices, false);
  const Indexing indexing(frame);
  if (options.mode == Mode::kRaise) indexing.check_unused(options.wrap_negative_indices);
  const Dims shape = rows_shape(kOp, from.tensor().shape, indexing.indices().tuples(), 0);
  check_device_out(kOp, out, from.dtype(), shape);
  const PackedView to(from.dtype(), shape, kOp, "out");
  DeviceBackend& backend = device_named(device);
  DeviceArray result{&backend, nullptr, from.dtype(), shape};
  check_unchanged(from, indexing);
  run_selection(indexing, false, [&] {
    const Plan plan = make_plan(kOp, from.tensor(), indexing.indices(), to.tensor(), options);
    result.memory = backend.gather(plan, *from.send(backend), indexing.indices(), fill.data());
  });
  return result;
}

// Returns x after the updates: new memory, or its own if `in_place`.
DeviceArray device_at_update(const std::string& device, const DeviceArray& x,
                             const Selection& selection, const py::object& updates,
                             const py::object& reduction, const py::object& mode,
                             const py::object& duplicates, const py::object& wraps, bool in_place) {
  constexpr auto kOp = Operator::kScatter;
  const PlanOptions options = {
      .mode = to_mode(mode),
      .reduction = parse_reduction(kOp, reduction, "at"),
      .duplicates = parse_duplicates(kOp, duplicates, "at"),
      .wrap_negative_indices = parse_wrap_negative_indices(kOp, wraps, "at")};
  const PackedView table(x, kOp, "x");
  const DeviceArgument rows(updates, kOp, "updates", &x.dtype);
  const Frame frame(selection, options.wrap_negative_indices, false);
  const Indexing indexing(frame);
  if (options.mode == Mode::kRaise) indexing.check_unused(options.wrap_negative_indices);
  DeviceBackend& backend = device_named(device);
  DeviceArray result{&backend, nullptr, x.dtype, x.shape};
  check_unchanged(rows, indexing);
  run_selection(indexing, false, [&] {
    const Plan plan = make_plan(kOp, table.tensor(), indexing.indices(), rows.tensor(), options);
    result.memory =
        backend.scatter(plan, x.memory, indexing.indices(), *rows.send(backend), in_place);
  });
  return result;
}

}  // namespace

void bind_at(py::module_& m) {
  m.def("at_entry", &make_at_entry);
  m.def("at_get", &bound_get, py::arg("x"), py::arg("selection"), py::arg("mode"),
        py::arg("fill_value"), py::arg("wrap_negative_indices"), py::arg("out"), py::arg("device"));
  m.def("at_update", &bound_update, py::arg("input"), py::arg("output"), py::arg("fresh"),
        py::arg("selection"), py::arg("updates"), py::arg("reduction"), py::arg("mode"),
        py::arg("duplicates"), py::arg("wrap_negative_indices"), py::arg("device"));
  m.def("device_at_get", &device_at_get, py::arg("device"), py::arg("x"), py::arg("selection"),
        py::arg("mode"), py::arg("fill_value"), py::arg("out"), py::arg("wrap_negative_indices"));
  m.def("device_at_update", &device_at_update, py::arg("device"), py::arg("x"),
        py::arg("selection"), py::arg("updates"), py::arg("reduction"), py::arg("mode"),
        py::arg("duplicates"), py::arg("wrap_negative_indices"), py::arg("in_place"));
}

}  // namespace gathernd::bindings
