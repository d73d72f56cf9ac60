// Arrays on a device, and the two functions for them.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device_array.hpp"
#include "options.hpp"
#include "sealed.hpp"

namespace gathernd::bindings {
namespace {

py::tuple shape_of(const DeviceArray& array) {
  py::tuple result(static_cast<size_t>(array.shape.size()));
  for (int i = 0; i < array.shape.size(); ++i) result[static_cast<size_t>(i)] = array.shape[i];
  return result;
}

DeviceArray upload(const std::string& device, const py::array& array, const std::string& op,
                   const std::string& what) {
  const ArrayView from(array, op.c_str(), what.c_str());
  DeviceBackend& backend = device_named(device);
  DeviceArray result{&backend, nullptr, from.dtype(), Dims(from.tensor().shape)};
  from.check_unchanged();
  const GilRelease nogil;
  result.memory = backend.upload(from.tensor());
  return result;
}

// The same memory with another shape. The caller checks that the number of elements is the same.
DeviceArray reshape(const DeviceArray& array, const std::vector<int64_t>& shape) {
  return {array.device, array.memory, array.dtype, Dims(shape)};
}

py::array download(const DeviceArray& array) {
  py::array result = make_array(array.dtype, {array.shape.begin(), array.shape.end()});
  const ArrayView to(result, "numpy", "array");  // nobody else has the array yet
  const GilRelease nogil;
  array.device->download(*array.memory, to.tensor(), true);
  return result;
}

DeviceArray gather_on_device(const std::string& device, const py::object& input,
                             const py::object& indices, const py::object& batch_dims,
                             const py::object& mode, const std::optional<py::array>& fill_value,
                             const DeviceArray* out, const py::object& wrap_negative_indices) {
  constexpr auto kOp = Operator::kGather;
  const PlanOptions options = {
      .batch_dims = parse_batch_dims(kOp, batch_dims),
      .mode = parse_mode(kOp, mode),
      .wrap_negative_indices = parse_wrap_negative_indices(kOp, wrap_negative_indices)};
  const DeviceArgument from(input, kOp, "input"), tuples(indices, kOp, "indices");
  const FillValue fill(fill_value, from.dtype());
  const Dims shape = rows_shape(kOp, from.tensor().shape, tuples.tensor(), options.batch_dims);
  const PackedView to(from.dtype(), shape, kOp, "out");
  const Plan plan = make_plan(kOp, from.tensor(), tuples.tensor(), to.tensor(), options);
  check_device_out(kOp, out, from.dtype(), shape);
  DeviceBackend& backend = device_named(device);
  DeviceArray result{&backend, nullptr, from.dtype(), shape};
  check_unchanged(from, tuples);
  const GilRelease nogil;
  const DeviceMemoryPtr table = from.send(backend), there = tuples.send(backend);
  result.memory = backend.gather(plan, *table, *there, fill.data());
  return result;
}

DeviceArray scatter_on_device(const std::string& device, const py::object& input,
                              const py::object& indices, const py::object& updates,
                              const py::object& reduction, const py::object& batch_dims,
                              const py::object& mode, const py::object& duplicates,
                              const DeviceArray* out, bool in_place,
                              const py::object& wrap_negative_indices) {
  constexpr auto kOp = Operator::kScatter;
  const PlanOptions options = {parse_batch_dims(kOp, batch_dims), parse_mode(kOp, mode),
                               parse_reduction(kOp, reduction), parse_duplicates(kOp, duplicates),
                               parse_wrap_negative_indices(kOp, wrap_negative_indices)};
  const DeviceArgument table(input, kOp, "input"), tuples(indices, kOp, "indices");
  const DeviceArgument rows(updates, kOp, "updates", &table.dtype());
  const Plan plan = make_plan(kOp, table.tensor(), tuples.tensor(), rows.tensor(), options);
  check_device_out(kOp, out, table.dtype(), table.tensor().shape);
  DeviceBackend& backend = device_named(device);
  DeviceArray result{&backend, nullptr, table.dtype(), Dims(table.tensor().shape)};
  check_unchanged(table, tuples, rows);
  const GilRelease nogil;
  const DeviceMemoryPtr from = table.send(backend), there = tuples.send(backend);
  result.memory = backend.scatter(plan, from, *there, *rows.send(backend), in_place);
  return result;
}

unsigned long main_thread;

// Runs in the thread of the call, without the GIL. Only the main thread runs signal handlers. Other
// threads must not wait for the GIL, because the interpreter may be ending.
bool interrupted() {
  if (PyThread_get_thread_ident() != main_thread) return false;
  try {
    const py::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;
  } catch (...) {
    wait_for_exit();
  }
}

}  // namespace

DeviceArgument::DeviceArgument(const py::object& value, Operator op, const char* what,
                               const py::dtype* input) {
  if (py::isinstance<DeviceArray>(value)) {
    const auto& array = value.cast<const DeviceArray&>();
    if (input != nullptr) check_updates_dtype(array.dtype, *input);
    dtype_ = array.dtype;
    memory_ = array.memory;
    view_.emplace(array, op, what);
    return;
  }
  const auto array = value.cast<py::array>();
  if (input != nullptr) {
    host_.emplace(array, name(op), what, *input);
  } else {
    host_.emplace(array, op, what);
  }
  dtype_ = host_->dtype();
  view_.emplace(dtype_, Dims(host_->tensor().shape), op, what);
}

void DeviceArgument::check_unchanged() const {
  if (host_) host_->check_unchanged();
}

DeviceMemoryPtr DeviceArgument::send(DeviceBackend& device) const {
  return host_ ? device.upload(host_->tensor()) : memory_;
}

void check_device_out(Operator op, const DeviceArray* out, const py::dtype& dtype,
                      std::span<const int64_t> shape) {
  if (out == nullptr) return;
  if (!is_same(out->dtype, dtype)) {
    throw py::type_error(std::string(name(op)) + ": out must have input's dtype " +
                         py::str(dtype).cast<std::string>() + ", not " +
                         py::str(out->dtype).cast<std::string>());
  }
  if (!same_shape(out->shape, shape)) {
    throw py::value_error(std::string(name(op)) + ": out must have shape " + text(shape) +
                          ", not " + text(out->shape));
  }
}

DeviceBackend& device_named(const std::string& name) {
  const GilRelease nogil;  // loading drivers takes long
  DeviceBackend* const device = find_device(name);
  if (device == nullptr) throw Error(ErrorKind::kDevice, "there is no device " + name);
  return *device;
}

Backend* open_backend(const std::string& device) {
  if (device == "cpu") return nullptr;
  DeviceBackend& backend = device_named(device);
  const GilRelease nogil;
  backend.open();
  return &backend;
}

void bind_devices(py::module_& m) {
  const py::object thread = py::module_::import("threading").attr("main_thread")();
  main_thread = thread.attr("ident").cast<unsigned long>();
  const py::object os = py::module_::import("os");
  if (py::hasattr(os, "register_at_fork")) {  // the forking thread becomes the child's main thread
    const py::cpp_function take_over([] { main_thread = PyThread_get_thread_ident(); });
    os.attr("register_at_fork")(py::arg("after_in_child") = take_over);
  }
  set_interrupt_check(&interrupted);
  Py_AtExit(&stop_devices);
  auto type = sealed_class<DeviceArray>(m, "DeviceArray");
  type.def_property_readonly("shape", &shape_of)
      .def_property_readonly("dtype", [](const DeviceArray& self) { return self.dtype; })
      .def_property_readonly("nbytes", [](const DeviceArray& self) { return self.memory->bytes(); })
      .def_property_readonly("device", [](const DeviceArray& self) { return self.device->name(); })
      .def("reshape", &reshape, py::arg("shape"))
      .def("numpy", &download);
  seal(type);
  m.def("devices", [] {
    const std::vector<DeviceInfo> all = [] {
      const GilRelease nogil;  // loading drivers takes long
      return devices();
    }();
    py::list result;
    for (const DeviceInfo& info : all) {
      result.append(py::make_tuple(info.name, info.description, info.runtime, info.memory));
    }
    return result;
  });
  m.def("unusable_devices", [] {
    const GilRelease nogil;
    std::vector<std::pair<std::string, std::string>> result;
    for (const UnusableDevice& device : unusable_devices()) {
      result.emplace_back(device.description, device.reason);
    }
    return result;
  });
  m.def("find_device", [](const std::string& name) -> std::optional<std::string> {
    const GilRelease nogil;  // loading drivers takes long
    const DeviceBackend* const device = find_device(name);
    return device != nullptr ? std::optional(device->name()) : std::nullopt;
  });
  m.def("open_device", [](const std::string& name) { open_backend(name); });
  m.def("upload", &upload, py::arg("device"), py::arg("array"), py::arg("op"), py::arg("what"));
  m.def("device_gather_nd", &gather_on_device, py::arg("device"), py::arg("input"),
        py::arg("indices"), py::arg("batch_dims"), py::arg("mode"), py::arg("fill_value"),
        py::arg("out"), py::arg("wrap_negative_indices") = true);
  m.def("device_scatter_nd", &scatter_on_device, py::arg("device"), py::arg("input"),
        py::arg("indices"), py::arg("updates"), py::arg("reduction"), py::arg("batch_dims"),
        py::arg("mode"), py::arg("duplicates"), py::arg("out"), py::arg("in_place"),
        py::arg("wrap_negative_indices") = true);
  m.def("inject_device_fault", &inject_device_fault, py::arg("call"), py::arg("result"),
        py::arg("after") = 0);
}

}  // namespace gathernd::bindings
