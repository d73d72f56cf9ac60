// gathernd.winners for Python: which update of a scatter_nd stayed.
#include "gathernd/winners.hpp"

#include "device_array.hpp"
#include "numpy.hpp"
#include "options.hpp"

namespace gathernd::bindings {
namespace {

ScatterOptions parse_options(const py::object& reduction, const py::object& batch_dims,
                             const py::object& mode, const py::object& duplicates,
                             const py::object& wrap_negative_indices) {
  constexpr auto kOp = Operator::kScatter;
  ScatterOptions options;
  options.batch_dims = parse_batch_dims(kOp, batch_dims);
  options.mode = parse_mode(kOp, mode);
  options.wrap_negative_indices = parse_wrap_negative_indices(kOp, wrap_negative_indices);
  options.reduction = parse_reduction(kOp, reduction);
  options.duplicates = parse_duplicates(kOp, duplicates);
  return options;
}

py::array winners(const py::array& result, const py::array& indices, const py::array& updates,
                  const py::object& reduction, const py::object& batch_dims, const py::object& mode,
                  const py::object& duplicates, const py::object& wrap_negative_indices,
                  int64_t none) {
  constexpr auto kOp = Operator::kScatter;
  const ScatterOptions options =
      parse_options(reduction, batch_dims, mode, duplicates, wrap_negative_indices);
  const ArrayView table(result, kOp, "input");
  const ArrayView tuples(indices, kOp, "indices");
  const ArrayView rows(updates, name(kOp), "updates", table.dtype());
  py::array found = make_array(py::dtype::of<int64_t>(), table.tensor().shape);
  auto* const to = static_cast<int64_t*>(found.mutable_data());
  check_unchanged(table, tuples, rows);
  const GilRelease nogil;
  find_winners(table.tensor(), tuples.tensor(), rows.tensor(), to, options, none);
  return found;
}

DeviceArray device_winners(const std::string& device, const py::object& input,
                           const py::object& indices, const py::object& updates,
                           const py::object& reduction, const py::object& batch_dims,
                           const py::object& mode, const py::object& duplicates,
                           const py::object& wrap_negative_indices) {
  constexpr auto kOp = Operator::kScatter;
  const ScatterOptions options =
      parse_options(reduction, batch_dims, mode, duplicates, wrap_negative_indices);
  const DeviceArgument table(input, kOp, "input"), tuples(indices, kOp, "indices");
  const DeviceArgument rows(updates, kOp, "updates", &table.dtype());
  const Plan plan = plan_winners(table.tensor(), tuples.tensor(), rows.tensor(), options);
  DeviceBackend& backend = device_named(device);
  DeviceArray result{&backend, nullptr, py::dtype::of<int64_t>(), Dims(table.tensor().shape)};
  check_unchanged(table, tuples, rows);
  const GilRelease nogil;
  const bool reads = options.reduction != Reduction::kNone;
  const auto sent = [&](const DeviceArgument& argument, bool is_read) {
    return DeviceTensor{argument.tensor(), is_read ? argument.send(backend) : nullptr};
  };
  result.memory =
      find_winners(backend, plan, sent(table, reads), sent(tuples, true), sent(rows, reads));
  return result;
}

}  // namespace

void bind_winners(py::module_& m) {
  m.def("winners", &winners, py::arg("result"), py::arg("indices"), py::arg("updates"),
        py::arg("reduction"), py::arg("batch_dims"), py::arg("mode"), py::arg("duplicates"),
        py::arg("wrap_negative_indices"), py::arg("none") = -1);
  m.def("device_winners", &device_winners, py::arg("device"), py::arg("input"), py::arg("indices"),
        py::arg("updates"), py::arg("reduction"), py::arg("batch_dims"), py::arg("mode"),
        py::arg("duplicates"), py::arg("wrap_negative_indices"));
}

}  // namespace gathernd::bindings
