#include "numpy.hpp"

#include <bit>
#include <cstring>
#include <string>

#include "plan_rules.hpp"
#include "result_memory.hpp"

namespace gathernd::bindings {
namespace {

static_assert(sizeof(py::ssize_t) == sizeof(int64_t), "strides are passed through as they are");

std::string text(const py::handle& object) { return py::str(object).cast<std::string>(); }

// The name of another package's type, which lives as long as the type; else null.
const char* foreign_name(const py::dtype& dtype) {
  constexpr int kFirstUserType = 256;
  if (dtype.num() < kFirstUserType) return nullptr;
  const py::object type = dtype.attr("type");
  const char* full = reinterpret_cast<PyTypeObject*>(type.ptr())->tp_name;
  const char* dot = std::strrchr(full, '.');
  return dot != nullptr ? dot + 1 : full;
}

bool is_bfloat16(const py::dtype& dtype) {
  const char* name = foreign_name(dtype);
  return name != nullptr && std::strcmp(name, "bfloat16") == 0;
}

Kind number_kind(char kind, py::ssize_t size, int num) {
  constexpr int kLongDouble = 13, kComplexLongDouble = 16;  // NPY_LONGDOUBLE, NPY_CLONGDOUBLE
  if (num == kLongDouble) return size == 8 ? Kind::kFloat64 : Kind::kLongDouble;
  if (num == kComplexLongDouble) return size == 16 ? Kind::kComplex128 : Kind::kComplexLongDouble;
  switch (kind) {
    case 'i':
      return size == 1   ? Kind::kInt8
             : size == 2 ? Kind::kInt16
             : size == 4 ? Kind::kInt32
                         : Kind::kInt64;
    case 'u':
      return size == 1   ? Kind::kUInt8
             : size == 2 ? Kind::kUInt16
             : size == 4 ? Kind::kUInt32
                         : Kind::kUInt64;
    case 'f':
      return size == 2 ? Kind::kFloat16 : size == 4 ? Kind::kFloat32 : Kind::kFloat64;
    default:
      return size == 8 ? Kind::kComplex64 : Kind::kComplex128;
  }
}

Kind to_kind(const py::dtype& dtype) {
  switch (dtype.kind()) {
    case 'b':
      return Kind::kBool;
    case 'i':
    case 'u':
    case 'f':
    case 'c':
      // Types of other packages borrow these letters: only NumPy's own are numbers here.
      return dtype.num() < 32 ? number_kind(dtype.kind(), dtype.itemsize(), dtype.num())
                              : Kind::kOther;
    case 'M':
      return Kind::kDatetime;
    case 'm':
      return Kind::kTimedelta;
    case 'S':
      return Kind::kBytes;
    case 'U':
      return Kind::kString;
    default:  // 'V', and the letters of other packages
      return is_bfloat16(dtype)   ? Kind::kBFloat16
             : dtype.has_fields() ? Kind::kStructured
                                  : Kind::kOther;
  }
}

}  // namespace

DType to_dtype(const py::dtype& dtype, const char* op, const char* what) {
  constexpr uint64_t kItemRefcount = 0x01;  // NPY_ITEM_REFCOUNT
  if ((static_cast<uint64_t>(dtype.flags()) & kItemRefcount) != 0) {
    const std::string type = text(dtype);
    throw py::type_error(
        std::string(op) + ": " +
        (std::strcmp(what, "indices") == 0
             ? kIndexTypes + type
             : std::string(what) + " has dtype " + type +
                   ", which holds references; only elements of fixed size can be moved"));
  }
  const char order = dtype.byteorder();
  const char other = std::endian::native == std::endian::little ? '>' : '<';
  const Kind kind = to_kind(dtype);
  const char* foreign = kind == Kind::kOther ? foreign_name(dtype) : nullptr;
  return {kind, dtype.itemsize(), order != other, foreign};
}

ArrayView::ArrayView(const py::array& array, const char* op, const char* what) {
  const auto rank = static_cast<size_t>(array.ndim());
  shape_ = Dims({reinterpret_cast<const int64_t*>(array.shape()), rank});
  strides_ = Dims({reinterpret_cast<const int64_t*>(array.strides()), rank});
  tensor_ = {static_cast<std::byte*>(const_cast<void*>(array.data())),
             to_dtype(array.dtype(), op, what), shape_, strides_};
}

FillValue::FillValue(const std::optional<py::array>& value) {
  if (!value) return;
  const auto size = static_cast<size_t>(value->itemsize());
  bytes_ = std::make_unique<std::byte[]>(size);
  std::memcpy(bytes_.get(), value->data(), size);
}

void check_updates_dtype(const py::dtype& updates, const py::dtype& input) {
  if (updates.is(input) || updates.equal(input)) return;
  throw py::type_error("scatter_nd: updates must have input's dtype " + text(input) + ", not " +
                       text(updates) + "; convert with updates.astype(input.dtype)");
}

ArrayView to_updates(const py::array& updates, const py::dtype& dtype) {
  check_updates_dtype(updates.dtype(), dtype);
  return ArrayView(updates, Operator::kScatter, "updates");
}

py::array check_out(const py::object& out, const py::dtype& dtype, const char* op) {
  const auto what = [op] { return std::string(op) + ": out "; };
  if (!py::isinstance<py::array>(out)) {
    throw py::type_error(what() + "must be a numpy.ndarray, not " +
                         text(py::type::of(out).attr("__name__")));
  }
  auto array = py::reinterpret_borrow<py::array>(out);
  if (!array.dtype().is(dtype) && !array.dtype().equal(dtype)) {
    throw py::type_error(what() + "must have input's dtype " + text(dtype) + ", not " +
                         text(array.dtype()));
  }
  if (!array.writeable()) throw py::value_error(what() + "is read-only");
  return array;
}

py::array make_array(const py::dtype& dtype, std::span<const int64_t> shape) {
  std::vector<py::ssize_t> sizes(shape.begin(), shape.end());
  auto bytes = static_cast<double>(dtype.itemsize());
  for (const int64_t n : shape) bytes *= static_cast<double>(n);
  std::optional<KeptMemory> kept;
  if (bytes >= kLargeResult) kept.emplace();
  if (dtype.itemsize() > 0) return py::array(dtype, std::move(sizes));
  // NumPy makes S1 of S0, and U1 of U0, but for a field.
  py::list field;
  field.append(py::make_tuple("f", dtype));
  return py::array(py::dtype::from_args(field), std::move(sizes))[py::str("f")];
}

}  // namespace gathernd::bindings
