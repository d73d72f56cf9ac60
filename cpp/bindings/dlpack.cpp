// DLPack, version 1 and before: https://dmlc.github.io/dlpack/latest/
#include <algorithm>
#include <string>

#include "checked.hpp"
#include "layout.hpp"
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

// Device types whose memory the CPU reads: its own, and what CUDA and ROCm share with it.
constexpr py::ssize_t kCpu = 1, kCudaHost = 3, kRocmHost = 11, kCudaManaged = 13;
constexpr uint32_t kMajor = 1;
constexpr uint8_t kBFloat = 4, kFirstFloat8 = 7;

struct NamedType {
  uint8_t code, bits;
  const char* name;
};

constexpr NamedType kTypes[] = {{0, 8, "int8"},           {0, 16, "int16"},
                                {0, 32, "int32"},         {0, 64, "int64"},
                                {1, 8, "uint8"},          {1, 16, "uint16"},
                                {1, 32, "uint32"},        {1, 64, "uint64"},
                                {2, 16, "float16"},       {2, 32, "float32"},
                                {2, 64, "float64"},       {4, 16, "bfloat16"},
                                {5, 64, "complex64"},     {5, 128, "complex128"},
                                {6, 8, "bool"},           {7, 8, "float8_e3m4"},
                                {8, 8, "float8_e4m3"},    {9, 8, "float8_e4m3b11fnuz"},
                                {10, 8, "float8_e4m3fn"}, {11, 8, "float8_e4m3fnuz"},
                                {12, 8, "float8_e5m2"},   {13, 8, "float8_e5m2fnuz"},
                                {14, 8, "float8_e8m0fnu"}};

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
  for (const NamedType& known : kTypes) {
    if (type.code != known.code || type.bits != known.bits || type.lanes != 1) continue;
    const bool ml = type.code == kBFloat || type.code >= kFirstFloat8;
    return ml ? ml_dtype(known.name, what) : py::dtype(known.name);
  }
  throw py::type_error(what + ": DLPack type code " + std::to_string(type.code) + " of " +
                       std::to_string(type.bits) + " bits and " + std::to_string(type.lanes) +
                       " lanes has no NumPy dtype");
}

bool is_host(py::ssize_t device_type) {
  return device_type == kCpu || device_type == kCudaHost || device_type == kRocmHost ||
         device_type == kCudaManaged;
}

// The strides in bytes; BufferError where the numbers are no tensor's, or reach past any memory.
Dims check_layout(const DLTensor& tensor, int64_t itemsize, const std::string& what) {
  const auto fail = [&](const std::string& why) {
    throw py::buffer_error(what + ": the DLPack tensor" + why);
  };
  if (tensor.ndim < 0 || tensor.ndim > kMaxRank) {
    fail(" has " + std::to_string(tensor.ndim) + " dimensions; NumPy takes 0 to " +
         std::to_string(kMaxRank));
  }
  if (tensor.ndim > 0 && tensor.shape == nullptr) fail(" has dimensions, but no shape");
  const std::span<const int64_t> shape(tensor.shape, static_cast<size_t>(tensor.ndim));
  int64_t bytes = itemsize;  // without the dimensions of size 0, as NumPy counts them
  for (const int64_t size : shape) {
    if (size < 0) fail("'s shape " + text(shape) + " has a negative size");
    if (size > 0 && !checked_mul(bytes, size, &bytes)) {
      fail("'s shape " + text(shape) + " has more elements than memory has room for");
    }
  }
  const bool empty = std::ranges::find(shape, 0) != shape.end();
  if (tensor.data == nullptr && !empty) fail(" has elements, but no memory");
  Dims strides = c_strides(shape, itemsize);
  for (int i = 0; tensor.strides != nullptr && i < tensor.ndim; ++i) {
    if (checked_mul(tensor.strides[i], itemsize, &strides[i])) continue;
    fail("'s stride of " + std::to_string(tensor.strides[i]) +
         " elements reaches past the address space");
  }
  Extent extent;
  const auto start = reinterpret_cast<uintptr_t>(tensor.data);
  const auto room = [&](uintptr_t bytes_after) { return bytes_after <= UINTPTR_MAX - start; };
  const bool fits = find_extent({nullptr, {Kind::kOther, itemsize}, shape, strides}, &extent) &&
                    tensor.byte_offset <= INT64_MAX - static_cast<uint64_t>(extent.high) &&
                    room(tensor.byte_offset + static_cast<uint64_t>(extent.high)) &&
                    start + tensor.byte_offset >= static_cast<uint64_t>(-extent.low);
  if (!fits) fail(" reaches past the address space");
  return strides;
}

// Takes the tensor over from its capsule; the array keeps it alive.
template <class Managed>
py::array adopt(const py::capsule& capsule, const char* used_name, const std::string& what) {
  const py::capsule owner(capsule.get_pointer<Managed>(), [](void* pointer) {
    auto* managed = static_cast<Managed*>(pointer);
    if (managed->deleter) managed->deleter(managed);
  });
  PyCapsule_SetName(capsule.ptr(), used_name);  // it is ours before more Python code runs
  const DLTensor tensor = owner.get_pointer<Managed>()->tensor;
  const py::dtype dtype = to_numpy(tensor.dtype, what);
  const Dims strides = check_layout(tensor, dtype.itemsize(), what);
  const auto rank = static_cast<size_t>(tensor.ndim);
  const char* data = static_cast<const char*>(tensor.data) + tensor.byte_offset;
  return view_memory(dtype, {tensor.shape, rank}, strides.begin(), data, owner);
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
                         " must say its DLPack device by two integers, not by " +
                         py::repr(device).cast<std::string>());
  }
  if (!is_host(PyNumber_AsSsize_t(place, nullptr))) {
    if (PyErr_Occurred()) throw py::error_already_set();
    throw py::type_error(what + ": the " + type +
                         " does not lie in the memory of the CPU (its DLPack device is " +
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
    result = object.attr("__dlpack__")();  // from before version 1
  }
  // A capsule that was used already has another name.
  if (PyCapsule_IsValid(result.ptr(), "dltensor")) {
    return adopt<DLManagedTensor>(result, "used_dltensor", what);
  }
  if (!PyCapsule_IsValid(result.ptr(), "dltensor_versioned")) {
    throw py::type_error(what + ": __dlpack__ gave no DLPack capsule that is unused, but " +
                         py::repr(result).cast<std::string>());
  }
  const uint32_t major = py::capsule(result).get_pointer<DLManagedTensorVersioned>()->major;
  if (major != kMajor) {
    throw py::type_error(what + ": __dlpack__ gave version " + std::to_string(major) +
                         " of DLPack, not 1 as it was asked for");
  }
  return adopt<DLManagedTensorVersioned>(result, "used_dltensor_versioned", what);
}

}  // namespace gathernd::bindings
