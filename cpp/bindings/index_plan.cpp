// IndexPlan for Python.
#include "index_plan.hpp"

#include <optional>

#include "device_array.hpp"
#include "ops.hpp"
#include "options.hpp"
#include "sealed.hpp"

namespace gathernd::bindings {
namespace {

// Slices without bytes say nothing of how many tuples there are.
template <class... Views>
bool is_brief(const IndexPlan& plan, const ArrayView& rows, const Views&... views) {
  return !plan.is_on_device() && rows.bytes() > 0 && are_brief(rows, views...);
}

IndexPlan make_index_plan(const std::vector<int64_t>& shape, const py::array& indices,
                          const py::object& batch_dims, const py::object& mode,
                          const std::string& device, const py::object& wrap_negative_indices) {
  constexpr auto kOp = Operator::kIndexPlan;
  const auto batch = parse_batch_dims(kOp, batch_dims);
  const auto parsed_mode = parse_mode(kOp, mode);
  const bool wraps = parse_wrap_negative_indices(kOp, wrap_negative_indices);
  Backend* const backend = open_backend(device);
  const ArrayView tuples(indices, kOp, "indices");
  const GilRelease nogil;
  return IndexPlan(shape, tuples.tensor(), batch, parsed_mode, backend, wraps);
}

IndexPlan make_device_plan(const std::vector<int64_t>& shape, const DeviceArray& indices,
                           const py::object& batch_dims, const py::object& mode,
                           const py::object& wrap_negative_indices) {
  constexpr auto kOp = Operator::kIndexPlan;
  const auto batch = parse_batch_dims(kOp, batch_dims);
  const auto parsed_mode = parse_mode(kOp, mode);
  const bool wraps = parse_wrap_negative_indices(kOp, wrap_negative_indices);
  const PackedView tuples(indices, kOp, "indices");
  const GilRelease nogil;
  return IndexPlan(shape, tuples.tensor(), *indices.memory, batch, parsed_mode, *indices.device,
                   wraps);
}

py::array bound_scatter_by(const IndexPlan& plan, const py::array& input, const py::array& updates,
                           const py::object& reduction, const py::object& duplicates,
                           const py::object& out) {
  constexpr auto kOp = Operator::kScatter;
  return scatter_by(plan, input, updates, out, parse_reduction(kOp, reduction),
                    parse_duplicates(kOp, duplicates));
}

// The indices as int64. From them and the options the plan can be made again.
py::array restore_indices(const IndexPlan& plan) {
  py::array result = make_array(py::dtype::of<int64_t>(), plan.indices_shape());
  const std::span<int64_t> to(static_cast<int64_t*>(result.mutable_data()),
                              static_cast<size_t>(result.size()));
  const GilRelease nogil;
  plan.restore_indices(to);
  return result;
}

DeviceArray device_gather(const IndexPlan& plan, const std::string& device, const py::object& input,
                          const std::optional<py::array>& fill_value, const DeviceArray* out) {
  constexpr auto kOp = Operator::kGather;
  const DeviceArgument from(input, kOp, "input");
  const FillValue fill(fill_value, from.dtype());
  plan.check_gather(from.tensor());
  DeviceBackend& backend = device_named(device);
  DeviceArray result{&backend, nullptr, from.dtype(), Dims(plan.rows_shape())};
  check_device_out(kOp, out, result.dtype, result.shape);
  check_unchanged(from);
  const GilRelease nogil;
  const DeviceMemoryPtr memory = from.send(backend);
  result.memory = plan.gather(from.tensor(), *memory, fill.data());
  return result;
}

DeviceArray device_scatter(const IndexPlan& plan, const std::string& device,
                           const py::object& input, const py::object& updates,
                           const py::object& reduction, const py::object& duplicates,
                           const DeviceArray* out, bool in_place) {
  constexpr auto kOp = Operator::kScatter;
  const auto parsed_reduction = parse_reduction(kOp, reduction);
  const auto parsed_duplicates = parse_duplicates(kOp, duplicates);
  const DeviceArgument table(input, kOp, "input");
  const DeviceArgument rows(updates, kOp, "updates", &table.dtype());
  plan.check_scatter(table.tensor(), rows.tensor(), parsed_reduction, parsed_duplicates);
  DeviceBackend& backend = device_named(device);
  DeviceArray result{&backend, nullptr, table.dtype(), Dims(table.tensor().shape)};
  check_device_out(kOp, out, result.dtype, result.shape);
  check_unchanged(table, rows);
  const GilRelease nogil;
  const DeviceMemoryPtr from = table.send(backend), there = rows.send(backend);
  result.memory = plan.scatter(table.tensor(), from, rows.tensor(), *there, parsed_reduction,
                               parsed_duplicates, in_place);
  return result;
}

}  // namespace

py::array gather_by(const IndexPlan& plan, const py::array& input,
                    const std::optional<py::array>& fill_value, const py::object& out) {
  constexpr auto kOp = Operator::kGather;
  const ArrayView from(input, kOp, "input");
  const bool fresh = out.is_none();
  py::array result = fresh ? make_array(from.dtype(), plan.rows_shape()) : to_out(out, name(kOp));
  const OutputView to(result, fresh, name(kOp), "out", from.dtype());
  const FillValue fill(fill_value, from.dtype());
  check_unchanged(from, to);
  const GilRelease nogil(!is_brief(plan, to));
  plan.gather(from.tensor(), to.tensor(), fill.data(), fresh);
  return result;
}

py::array scatter_by(const IndexPlan& plan, const py::array& input, const py::array& updates,
                     const py::object& out, Reduction reduction, Duplicates duplicates) {
  constexpr auto kOp = Operator::kScatter;
  const ArrayView from(input, kOp, "input");
  const ArrayView rows(updates, name(kOp), "updates", from.dtype());
  const bool fresh = out.is_none();
  const Dims strides = plan.result_strides(from.tensor(), rows.tensor());
  py::array result = fresh ? make_array(from.dtype(), from.tensor().shape, strides.begin())
                           : to_out(out, name(kOp));
  const OutputView to(result, fresh, name(kOp), "out", from.dtype());
  check_unchanged(from, rows, to);
  const GilRelease nogil(!is_brief(plan, rows, to));
  plan.scatter(from.tensor(), rows.tensor(), to.tensor(), reduction, duplicates, fresh);
  return result;
}

void bind_index_plan(py::module_& m) {
  m.def("make_device_plan", &make_device_plan, py::arg("shape"), py::arg("indices"),
        py::arg("batch_dims"), py::arg("mode"), py::arg("wrap_negative_indices") = true);
  m.def("make_index_plan", &make_index_plan, py::arg("shape"), py::arg("indices"),
        py::arg("batch_dims"), py::arg("mode"), py::arg("device") = "cpu",
        py::arg("wrap_negative_indices") = true);
  auto type = sealed_class<IndexPlan>(m, "IndexPlan");
  type.def("gather", &gather_by, py::arg("input"), py::arg("fill_value"), py::arg("out"))
      .def("scatter", &bound_scatter_by, py::arg("input"), py::arg("updates"), py::arg("reduction"),
           py::arg("duplicates"), py::arg("out"))
      .def("device_gather", &device_gather, py::arg("device"), py::arg("input"),
           py::arg("fill_value"), py::arg("out"))
      .def("device_scatter", &device_scatter, py::arg("device"), py::arg("input"),
           py::arg("updates"), py::arg("reduction"), py::arg("duplicates"), py::arg("out"),
           py::arg("in_place"))
      .def_property_readonly("shape", [](const IndexPlan& p) { return to_tuple(p.shape()); })
      .def_property_readonly("updates_shape",
                             [](const IndexPlan& p) { return to_tuple(p.rows_shape()); })
      .def_property_readonly("is_unique",
                             [](const IndexPlan& p) {
                               const GilRelease nogil;
                               return p.is_unique();
                             })
      .def_property_readonly("is_sorted",
                             [](const IndexPlan& p) {
                               const GilRelease nogil;
                               return p.is_sorted();
                             })
      .def_property_readonly("nbytes", &IndexPlan::bytes)
      .def_property_readonly("batch_dims",
                             [](const IndexPlan& p) { return p.options().batch_dims; })
      .def_property_readonly("mode", [](const IndexPlan& p) { return name(p.options().mode); })
      .def_property_readonly("wrap_negative_indices",
                             [](const IndexPlan& p) { return p.options().wrap_negative_indices; })
      .def("restore_indices", &restore_indices);
  seal(type);
  m.def("plan_entry", &enter_plan, py::arg("plan"));
}

}  // namespace gathernd::bindings
