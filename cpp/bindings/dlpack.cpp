// DLPack, version 1 and before: https://dmlc.github.io/dlpack/latest/
#include <string>
#include <vector>

#include "numpy.hpp"

namespace gathernd::bindings {
namespace {

// The ABI of the exchange, as far as it is read here.
struct DLDevice {
  int32_t type;
  int32_t id;
};

struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null for C order
  uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor tensor;
  void* context;
  void (*deleter)(DLManagedTensor*);
};

struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void* context;
  void (*deleter)(DLManagedTensorVersioned*);
  uint64_t flags;
  DLTensor tensor;
};

constexpr int32_t kCpu = 1;

py::dtype ml_dtype(const char* name, const std::string& what) {
  try {
    return py::dtype::from_args(py::module_::import("ml_dtypes").attr(name));
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_ImportError)) throw;
    throw py::type_error(what + ": " + name +
                         " elements need the package ml_dtypes: pip install ml_dtypes");
  }
}

py::dtype to_numpy(DLDataType type, const std::string& what) {
  const int bytes = type.bits / 8;
  if (type.lanes == 1 && bytes * 8 == type.bits) {
    switch (type.code) {
      case 0:
        return py::dtype("i" + std::to_string(bytes));
      case 1:
        return py::dtype("u" + std::to_string(bytes));
      case 2:
        return py::dtype("f" + std::to_string(bytes));
      case 4:
        return ml_dtype("bfloat16", what);
      case 5:
        return py::dtype("c" + std::to_string(bytes));
      case 6:
        return py::dtype("?");
      case 7:
        return ml_dtype("float8_e3m4", what);
      case 8:
        return ml_dtype("float8_e4m3", what);
      case 9:
        return ml_dtype("float8_e4m3b11fnuz", what);
      case 10:
        return ml_dtype("float8_e4m3fn", what);
      case 11:
        return ml_dtype("float8_e4m3fnuz", what);
      case 12:
        return ml_dtype("float8_e5m2", what);
      case 13:
        return ml_dtype("float8_e5m2fnuz", what);
      case 14:
        return ml_dtype("float8_e8m0fnu", what);
      default:
        break;
    }
  }
  throw py::type_error(what + ": DLPack type code " + std::to_string(type.code) + " of " +
                       std::to_string(type.bits) + " bits has no NumPy dtype");
}

// Takes the tensor over from its capsule; the array keeps it alive.
template <class Managed>
py::array adopt(const py::capsule& capsule, const char* used_name, const std::string& what) {
  auto* managed = capsule.get_pointer<Managed>();
  const DLTensor& tensor = managed->tensor;
  const py::dtype dtype = to_numpy(tensor.dtype, what);
  std::vector<py::ssize_t> shape(tensor.shape, tensor.shape + tensor.ndim);
  std::vector<py::ssize_t> strides;
  for (int i = 0; tensor.strides && i < tensor.ndim; ++i) {
    strides.push_back(tensor.strides[i] * dtype.itemsize());
  }
  PyCapsule_SetName(capsule.ptr(), used_name);
  const py::capsule owner(managed, [](void* pointer) {
    auto* tensor_of = static_cast<Managed*>(pointer);
    if (tensor_of->deleter) tensor_of->deleter(tensor_of);
  });
  const char* data = static_cast<const char*>(tensor.data) + tensor.byte_offset;
  py::array array(dtype, std::move(shape), std::move(strides), data, owner);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

}  // namespace

py::array from_dlpack(const py::object& object, const std::string& what) {
  const auto device = py::tuple(object.attr("__dlpack_device__")());
  if (device[0].cast<int32_t>() != kCpu) {
    throw py::type_error(what + ": the " +
                         py::str(py::type::of(object).attr("__name__")).cast<std::string>() +
                         " does not lie in the memory of the CPU (its DLPack device is " +
                         py::str(device).cast<std::string>() + "): copy it there first");
  }
  py::object result;
  try {
    result = object.attr("__dlpack__")(py::arg("max_version") = py::make_tuple(1, 0));
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_TypeError)) throw;
    result = object.attr("__dlpack__")();  // from before version 1
  }
  const py::capsule capsule(result);
  if (capsule.name() && std::string_view(capsule.name()) == "dltensor_versioned") {
    return adopt<DLManagedTensorVersioned>(capsule, "used_dltensor_versioned", what);
  }
  return adopt<DLManagedTensor>(capsule, "used_dltensor", what);
}

}  // namespace gathernd::bindings
