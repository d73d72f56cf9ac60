#include "numpy.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "core/kinds.hpp"
#include "core/layout.hpp"
#include "core/plan_rules.hpp"
#include "cpu/common/slices.hpp"
#include "result_memory.hpp"

namespace gathernd::bindings {
namespace {

static_assert(sizeof(py::ssize_t) == sizeof(int64_t), "strides are passed through as they are");

constexpr int kFirstUserType = 256;  // NPY_USERDEF

std::string text(const py::handle& object) { return py::str(object).cast<std::string>(); }

// What NumPy 2 keeps of a dtype. pybind11's functions ask which NumPy it is each time.
const py::detail::PyArrayDescr2_Proxy& facts_of(const py::dtype& dtype) {
  return *py::detail::array_descriptor2_proxy(dtype.ptr());
}

// The name of a dtype of another package, valid as long as its type; null for NumPy's own dtypes.
const char* foreign_name(const py::dtype& dtype) {
  if (facts_of(dtype).type_num < kFirstUserType) return nullptr;
  const py::object type = dtype.attr("type");
  const char* full = reinterpret_cast<PyTypeObject*>(type.ptr())->tp_name;
  const char* dot = std::strrchr(full, '.');
  return dot != nullptr ? dot + 1 : full;
}

Kind to_kind(const py::dtype& dtype) {
  const auto& facts = facts_of(dtype);
  if (const char* const foreign = foreign_name(dtype)) return package_kind(foreign, facts.elsize);
  // Other packages also use NumPy's letters. Only NumPy's own types count as numbers here.
  if (facts.type_num < 0 || facts.type_num >= 32) return Kind::kOther;
  return facts.names != nullptr ? Kind::kStructured : numpy_kind(facts.kind, facts.elsize);
}

// The hint on how to convert updates to input's dtype. A view that repeats one element should stay
// one.
std::string way_to(const py::dtype& input, const py::dtype& dtype, const Tensor& updates) {
  if (input.kind() == 'M' && dtype.kind() == 'm') {
    const std::string spans = "timedelta64" + text(input).substr(std::string("datetime64").size());
    return "; to add to times, view input as " + spans +
           ", give updates that dtype too, and view the result back";
  }
  bool is_repeated = false, is_one = true;
  for (size_t i = 0; i < updates.shape.size(); ++i) {
    is_one = is_one && (updates.shape[i] == 1 || updates.strides[i] == 0);
    is_repeated = is_repeated || updates.shape[i] > 1;
  }
  if (!is_one || !is_repeated) return "; convert with updates.astype(input.dtype)";
  const bool is_number = std::strchr("biufc", input.kind()) != nullptr && input.byteorder() != '>';
  const std::string element =
      is_number && input.num() < kFirstUserType ? text(input) + "(x)" : "array(x, input.dtype)";
  return "; convert the element before it is repeated: np.broadcast_to(np." + element +
         ", updates.shape)";
}

// Joins runs that touch or overlap, in ascending order.
void merge(std::vector<ByteRun>* runs) {
  std::ranges::sort(*runs, {}, &ByteRun::offset);
  std::vector<ByteRun> merged;
  for (const ByteRun& run : *runs) {
    if (run.size == 0) continue;
    if (merged.empty() || merged.back().offset + merged.back().size < run.offset) {
      merged.push_back(run);
    } else {
      ByteRun& last = merged.back();
      last.size = std::max(last.size, run.offset + run.size - last.offset);
    }
  }
  *runs = std::move(merged);
}

// Adds the bytes of the fields of an element at `offset`, which may be a field itself.
void add_fields(const py::dtype& dtype, int64_t offset, std::vector<ByteRun>* runs) {
  if (const py::object array = dtype.attr("subdtype"); !array.is_none()) {
    const auto base = py::tuple(array)[0].cast<py::dtype>();
    std::vector<ByteRun> element;
    add_fields(base, 0, &element);
    merge(&element);
    const int64_t size = base.itemsize(), whole = dtype.itemsize();
    if (size == 0) return;
    if (element.size() == 1 && element[0].size == size) return runs->push_back({offset, whole});
    for (int64_t at = 0; at < whole; at += size) {
      for (const ByteRun& run : element) runs->push_back({offset + at + run.offset, run.size});
    }
    return;
  }
  const py::object names = dtype.attr("names");
  if (names.is_none()) return runs->push_back({offset, dtype.itemsize()});
  const py::object fields = dtype.attr("fields");
  for (const py::handle name : names) {
    const auto field = py::tuple(fields[name]);
    add_fields(field[0].cast<py::dtype>(), offset + field[1].cast<int64_t>(), runs);
  }
}

// Makes an array of `data`, or of new memory. NumPy computes the size, so nothing overflows here.
py::array new_array(const py::dtype& dtype, std::span<const int64_t> shape,
                    const int64_t* strides = nullptr, void* data = nullptr, int flags = 0) {
  const auto& api = py::detail::npy_api::get();
  PyObject* array = api.PyArray_NewFromDescr_(
      api.PyArray_Type_, py::dtype(dtype).release().ptr(), static_cast<int>(shape.size()),
      reinterpret_cast<const Py_intptr_t*>(shape.data()),
      reinterpret_cast<const Py_intptr_t*>(strides), data, flags, nullptr);
  if (array == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::array>(array);
}

}  // namespace

DType to_dtype(const py::dtype& dtype, const char* op, const char* what) {
  constexpr uint64_t kItemRefcount = 0x01;  // NPY_ITEM_REFCOUNT
  const auto& facts = facts_of(dtype);
  if ((facts.flags & kItemRefcount) != 0) {
    const std::string start = std::string(op) + ": ", type = text(dtype);
    if (std::strcmp(what, "indices") == 0) throw py::type_error(start + kIndexTypes + type);
    const std::string way =
        dtype.has_fields() ? "" : ", strings by " + std::string(what) + ".astype(\"U\")";
    throw py::type_error(start + what + " has dtype " + type +
                         ", which holds references; only elements of fixed size can be moved" +
                         way);
  }
  const char other = std::endian::native == std::endian::little ? '>' : '<';
  const Kind kind = to_kind(dtype);
  const char* foreign = kind == Kind::kOther ? foreign_name(dtype) : nullptr;
  return {kind, facts.elsize, facts.byteorder != other, foreign};
}

ArrayView::ArrayView(const py::array& array, const char* op, const char* what)
    : array_(array), op_(op), what_(what) {
  read();
  tensor_.dtype = to_dtype(dtype_, op, what);
}

ArrayView::ArrayView(const py::array& array, const char* op, const char* what,
                     const py::dtype& input)
    : array_(array), op_(op), what_(what) {
  read();
  if (!is_same(dtype_, input)) {
    throw py::type_error(std::string(op) + ": " + what + " must have input's dtype " + text(input) +
                         ", not " + text(dtype_) +
                         (std::strcmp(what, "updates") == 0 ? way_to(input, dtype_, tensor_) : ""));
  }
  tensor_.dtype = to_dtype(dtype_, op, what);
}

void ArrayView::read() {
  const auto* now = py::detail::array_proxy(array_.ptr());
  const auto rank = static_cast<size_t>(now->nd);
  dtype_ = py::reinterpret_borrow<py::dtype>(now->descr);
  shape_.assign({reinterpret_cast<const int64_t*>(now->dimensions), rank});
  strides_.assign({reinterpret_cast<const int64_t*>(now->strides), rank});
  writeable_ = (now->flags & py::detail::npy_api::NPY_ARRAY_WRITEABLE_) != 0;
  contiguous_ = (now->flags & py::detail::npy_api::NPY_ARRAY_C_CONTIGUOUS_) != 0;
  tensor_ = {reinterpret_cast<std::byte*>(now->data), {}, shape_, strides_};
}

double ArrayView::bytes() const {
  auto bytes = static_cast<double>(tensor_.dtype.size);
  for (const int64_t n : shape_) bytes *= static_cast<double>(n);
  return bytes;
}

void ArrayView::check_writeable() const {
  if (!writeable_) throw py::value_error(std::string(op_) + ": " + what_ + " is read-only");
}

void OutputView::find_fields() {
  DType& dtype = tensor_.dtype;
  if (dtype.kind != Kind::kStructured) return;
  add_fields(this->dtype(), 0, &fields_);
  merge(&fields_);
  if (fields_.empty()) fields_.emplace_back();
  const bool is_whole = fields_.size() == 1 && fields_[0].size == dtype.size;
  if (!is_whole) dtype.fields = &fields_;
}

void ArrayView::check_unchanged() const {
  const auto* now = py::detail::array_proxy(array_.ptr());
  const auto same = [now](const Dims& then, const py::ssize_t* values) {
    return same_shape(then,
                      {reinterpret_cast<const int64_t*>(values), static_cast<size_t>(now->nd)});
  };
  const bool writeable = (now->flags & py::detail::npy_api::NPY_ARRAY_WRITEABLE_) != 0;
  if (reinterpret_cast<std::byte*>(now->data) == tensor_.data && now->descr == dtype_.ptr() &&
      same(shape_, now->dimensions) && same(strides_, now->strides) && writeable == writeable_) {
    return;
  }
  throw std::runtime_error(std::string(op_) + ": " + what_ +
                           " changed its shape, dtype or memory during the call");
}

FillValue::FillValue(const std::optional<py::array>& value, const py::dtype& input) {
  if (!value) return;
  const ArrayView fill(*value, Operator::kGather, "fill_value");
  if (!is_same(fill.dtype(), input)) {
    throw py::type_error("gather_nd: fill_value has dtype " + text(fill.dtype()) +
                         ", but input now has " + text(input));
  }
  if (!fill.tensor().shape.empty()) {
    throw py::value_error("gather_nd: fill_value must be a single element");
  }
  fill.check_unchanged();
  const auto size = static_cast<size_t>(fill.tensor().dtype.size);
  bytes_ = std::make_unique<std::byte[]>(size);
  std::memcpy(bytes_.get(), fill.tensor().data, size);
}

bool is_same(const py::dtype& a, const py::dtype& b) { return a.is(b) || a.equal(b); }

void check_updates_dtype(const py::dtype& updates, const py::dtype& input) {
  if (is_same(updates, input)) return;
  throw py::type_error("scatter_nd: updates must have input's dtype " + text(input) + ", not " +
                       text(updates));
}

py::tuple to_tuple(std::span<const int64_t> numbers) {
  py::tuple result(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) result[i] = numbers[i];
  return result;
}

py::array to_out(const py::object& out, const std::string& op) {
  if (py::isinstance<py::array>(out)) return py::reinterpret_borrow<py::array>(out);
  throw py::type_error(op + ": out must be a numpy.ndarray, not " +
                       text(py::type::of(out).attr("__name__")));
}

py::array view_memory(const py::dtype& dtype, std::span<const int64_t> shape,
                      const int64_t* strides, void* data, bool is_writable,
                      const py::object& owner) {
  const int flags = is_writable ? py::detail::npy_api::NPY_ARRAY_WRITEABLE_ : 0;
  py::array view = new_array(dtype, shape, strides, data, flags);
  const int failed = py::detail::npy_api::get().PyArray_SetBaseObject_(
      view.ptr(), py::object(owner).release().ptr());
  if (failed != 0) throw py::error_already_set();
  return view;
}

namespace {

py::array allocate(const py::dtype& dtype, std::span<const int64_t> shape, const int64_t* strides) {
  const int64_t size = facts_of(dtype).elsize;
  auto bytes = static_cast<double>(size);
  for (const int64_t n : shape) bytes *= static_cast<double>(n);
  std::optional<KeptMemory> kept;
  if (bytes >= kLargeResult) kept.emplace();
  if (size > 0) return new_array(dtype, shape, strides);
  // NumPy turns S0 into S1 and U0 into U1, except in a field of a structured dtype.
  py::list field;
  field.append(py::make_tuple("f", dtype));
  return new_array(py::dtype::from_args(field), shape)[py::str("f")];
}

}  // namespace

py::array make_array(const py::dtype& dtype, std::span<const int64_t> shape,
                     const int64_t* strides) {
  try {
    return allocate(dtype, shape, strides);
  } catch (const py::error_already_set& error) {
    // NumPy does not know about kept memory, so release that and try again.
    if (!error.matches(PyExc_MemoryError) || release_memory() == 0) throw;
  }
  return allocate(dtype, shape, strides);
}

py::array new_like(const py::array& x, bool keeps_order, bool copies) {
  const ArrayView from(x, "at", "x");
  const Tensor& input = from.tensor();
  const Dims strides = packed_in_order(input.shape, input.strides, input.dtype.size);
  const py::array result =
      make_array(from.dtype(), input.shape, keeps_order ? strides.begin() : nullptr);
  const ArrayView to(result, "at", "result");
  check_unchanged(from);
  if (copies) {
    const GilRelease nogil;
    copy_tensor(input, to.tensor());
  }
  return result;
}

}  // namespace gathernd::bindings
