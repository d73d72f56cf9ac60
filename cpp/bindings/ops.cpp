// The two functions: converts arrays to views, allocates results, releases the GIL.
#include <algorithm>
#include <optional>

#include "ops.hpp"
#include "options.hpp"

namespace gathernd::bindings {
namespace {

// A new result, in the order of input's memory if that is faster. Devices give C order.
py::array make_scattered(const ArrayView& from, const ArrayView& tuples, const ArrayView& rows,
                         const ScatterOptions& options) {
  const Tensor& input = from.tensor();
  const auto& tuple_shape = tuples.tensor().shape;
  const int64_t batch = options.batch_dims;
  const bool allowed =
      !tuple_shape.empty() && batch >= 0 && batch <= kMaxRank;  // else refused later
  if (options.backend != nullptr || !allowed) return make_array(from.dtype(), input.shape);
  const int64_t depth = std::min<int64_t>(tuple_shape.back(), kMaxRank);
  const Dims strides = result_strides(input, batch + depth, rows.tensor());
  return make_array(from.dtype(), input.shape, strides.begin());
}

py::array bound_gather(const py::array& input, const py::array& indices,
                       const py::object& batch_dims, const py::object& mode,
                       const std::optional<py::array>& fill_value, const py::object& out,
                       const std::string& device, const py::object& wrap_negative_indices) {
  constexpr auto kOp = Operator::kGather;
  GatherOptions options;
  options.batch_dims = parse_batch_dims(kOp, batch_dims);
  options.mode = parse_mode(kOp, mode);
  options.wrap_negative_indices = parse_wrap_negative_indices(kOp, wrap_negative_indices);
  options.backend = open_backend(device);
  return gather(input, indices, fill_value, out, options);
}

py::array bound_scatter(const py::array& input, const py::array& indices, const py::array& updates,
                        const py::object& reduction, const py::object& batch_dims,
                        const py::object& mode, const py::object& duplicates, const py::object& out,
                        const std::string& device, const py::object& wrap_negative_indices) {
  constexpr auto kOp = Operator::kScatter;
  ScatterOptions options;
  options.batch_dims = parse_batch_dims(kOp, batch_dims);
  options.mode = parse_mode(kOp, mode);
  options.wrap_negative_indices = parse_wrap_negative_indices(kOp, wrap_negative_indices);
  options.reduction = parse_reduction(kOp, reduction);
  options.duplicates = parse_duplicates(kOp, duplicates);
  options.backend = open_backend(device);
  return scatter(input, indices, updates, out, options);
}

}  // namespace

py::array gather(const py::array& input, const py::array& indices,
                 const std::optional<py::array>& fill_value, const py::object& out,
                 GatherOptions options) {
  constexpr auto kOp = Operator::kGather;
  options.fresh_output = out.is_none();
  const ArrayView from(input, kOp, "input");
  const ArrayView tuples(indices, kOp, "indices");
  const Dims shape = rows_shape(kOp, from.tensor().shape, tuples.tensor(), options.batch_dims);
  py::array result = out.is_none() ? make_array(from.dtype(), {shape.begin(), shape.end()})
                                   : to_out(out, name(kOp));
  const OutputView to(result, options.fresh_output, name(kOp), "out", from.dtype());
  const FillValue fill(fill_value, from.dtype());
  options.fill_value = fill.data();
  check_unchanged(from, tuples, to);
  const GilRelease nogil(options.backend != nullptr || !are_brief(to, tuples));
  gather_nd(from.tensor(), tuples.tensor(), to.tensor(), options);
  return result;
}

py::array scatter(const py::array& input, const py::array& indices, const py::array& updates,
                  const py::object& out, ScatterOptions options) {
  constexpr auto kOp = Operator::kScatter;
  options.fresh_output = out.is_none();
  const ArrayView from(input, kOp, "input");
  const ArrayView tuples(indices, kOp, "indices");
  const ArrayView rows(updates, name(kOp), "updates", from.dtype());
  py::array result =
      out.is_none() ? make_scattered(from, tuples, rows, options) : to_out(out, name(kOp));
  const OutputView to(result, options.fresh_output, name(kOp), "out", from.dtype());
  check_unchanged(from, tuples, rows, to);
  const GilRelease nogil(options.backend != nullptr || !are_brief(to, tuples, rows));
  scatter_nd(from.tensor(), tuples.tensor(), rows.tensor(), to.tensor(), options);
  return result;
}

void bind_ops(py::module_& m) {
  m.def("gather_nd", &bound_gather, py::arg("input"), py::arg("indices"), py::arg("batch_dims"),
        py::arg("mode"), py::arg("fill_value"), py::arg("out"), py::arg("device") = "cpu",
        py::arg("wrap_negative_indices") = true);
  m.def("gather_entry", &make_gather_entry);
  m.def("scatter_entry", &make_scatter_entry);
  m.def("scatter_nd", &bound_scatter, py::arg("input"), py::arg("indices"), py::arg("updates"),
        py::arg("reduction"), py::arg("batch_dims"), py::arg("mode"), py::arg("duplicates"),
        py::arg("out"), py::arg("device") = "cpu", py::arg("wrap_negative_indices") = true);
}

}  // namespace gathernd::bindings
