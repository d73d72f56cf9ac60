// Objects with __dlpack__ as NumPy arrays.
#include <string>

#include "dlpack_tensor.hpp"
#include "numpy.hpp"

namespace gathernd::bindings {
namespace {

// The device types whose memory the CPU can read: its own, and what CUDA and ROCm share with it.
constexpr py::ssize_t kCpu = 1, kCudaHost = 3, kRocmHost = 11, kCudaManaged = 13;
constexpr uint32_t kMajor = 1;

py::dtype ml_dtype(const char* name, const std::string& what) {
  try {
    return py::dtype::from_args(py::module_::import("ml_dtypes").attr(name));
  } catch (py::error_already_set& error) {
    const bool is_old = error.matches(PyExc_AttributeError);
    if (!is_old && !error.matches(PyExc_ImportError)) throw;
    throw py::type_error(what + ": " + name + " elements need " +
                         (is_old ? "a newer version of " : "") +
                         "the package ml_dtypes: pip install -U ml_dtypes");
  }
}

py::dtype to_numpy(DLDataType type, const std::string& what) {
  const ElementType known = element_type(type);
  if (known.name) return known.is_ml ? ml_dtype(known.name, what) : py::dtype(known.name);
  throw py::type_error(what + ": DLPack type code " + std::to_string(type.code) + " of " +
                       std::to_string(type.bits) + " bits and " + std::to_string(type.lanes) +
                       " lanes has no NumPy dtype");
}

bool is_host(py::ssize_t device_type) {
  return device_type == kCpu || device_type == kCudaHost || device_type == kRocmHost ||
         device_type == kCudaManaged;
}

DLView view_of(const DLTensor& tensor, const py::dtype& dtype, const std::string& what) {
  try {
    return view_of(tensor, dtype.itemsize());
  } catch (const BadTensor& error) {
    throw py::buffer_error(what + ": the DLPack tensor" + error.what());
  }
}

// Whether what is written there is the producer's afterwards. Before version 1 nobody tells.
bool is_writable(const DLManagedTensor&) { return false; }
bool is_writable(const DLManagedTensorVersioned& managed) {
  return (managed.flags & (kReadOnly | kIsCopied)) == 0;
}

// Takes the tensor out of its capsule. The array keeps it alive.
template <class Managed>
py::array adopt(const py::capsule& capsule, const char* used_name, const std::string& what) {
  const py::capsule owner(capsule.get_pointer<Managed>(), [](void* pointer) {
    auto* managed = static_cast<Managed*>(pointer);
    if (managed->deleter) managed->deleter(managed);
  });
  PyCapsule_SetName(capsule.ptr(), used_name);  // take it before more Python code runs
  const auto* const managed = owner.get_pointer<Managed>();
  const DLTensor tensor = managed->tensor;
  const py::dtype dtype = to_numpy(tensor.dtype, what);
  const DLView view = view_of(tensor, dtype, what);
  return view_memory(dtype, {view.shape.begin(), view.shape.end()}, view.strides.begin(), view.data,
                     is_writable(*managed), owner);
}

}  // namespace

py::array from_dlpack(const py::object& object, const std::string& what) {
  const std::string type = py::str(py::type::of(object).attr("__name__")).cast<std::string>();
  const py::object device = object.attr("__dlpack_device__")();
  PyObject* const place = PyTuple_Check(device.ptr()) && PyTuple_GET_SIZE(device.ptr()) == 2
                              ? PyTuple_GET_ITEM(device.ptr(), 0)
                              : nullptr;
  if (place == nullptr || !PyIndex_Check(place)) {
    throw py::type_error(what + ": the " + type +
                         " must give its DLPack device as two integers, not as " +
                         py::repr(device).cast<std::string>());
  }
  if (!is_host(PyNumber_AsSsize_t(place, nullptr))) {
    if (PyErr_Occurred()) throw py::error_already_set();
    throw py::type_error(what + ": the " + type + " is not in CPU memory (its DLPack device is " +
                         py::str(device).cast<std::string>() + "): copy it there first" +
                         (py::hasattr(object, "cpu")   ? ", by .cpu()"
                          : py::hasattr(object, "get") ? ", by .get()"
                                                       : ""));
  }
  py::object result;
  try {
    result = object.attr("__dlpack__")(py::arg("max_version") = py::make_tuple(kMajor, 0));
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_TypeError)) throw;
    result = object.attr("__dlpack__")();  // a producer older than version 1
  }
  // A capsule that was already used has another name.
  if (PyCapsule_IsValid(result.ptr(), "dltensor")) {
    return adopt<DLManagedTensor>(result, "used_dltensor", what);
  }
  if (!PyCapsule_IsValid(result.ptr(), "dltensor_versioned")) {
    throw py::type_error(what + ": __dlpack__ must return an unused DLPack capsule, not " +
                         py::repr(result).cast<std::string>());
  }
  const uint32_t major = py::capsule(result).get_pointer<DLManagedTensorVersioned>()->major;
  if (major != kMajor) {
    throw py::type_error(what + ": __dlpack__ must return DLPack version 1, not " +
                         std::to_string(major));
  }
  return adopt<DLManagedTensorVersioned>(result, "used_dltensor_versioned", what);
}

}  // namespace gathernd::bindings
