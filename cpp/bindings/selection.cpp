#include "selection.hpp"

#include <algorithm>

#include "core/checked.hpp"
#include "core/layout.hpp"
#include "ops/true_positions.hpp"
#include "sealed.hpp"

namespace gathernd::bindings {

enum ItemKind : char {
  kNone = 'N',
  kEllipsis = '.',
  kSlice = ':',
  kTrue = 'T',
  kFalse = 'F',
  kInteger = 'n',
  kArray = 'i',
  kMask = 'm'
};

namespace {

// NumPy's numbers of types.
constexpr int kBool = 0, kFirstInteger = 1, kLastInteger = 10;

const py::detail::PyArray_Proxy* proxy(const py::handle& array) {
  return py::detail::array_proxy(array.ptr());
}

std::span<const int64_t> shape_of(const py::handle& array) {
  const auto* a = proxy(array);
  return {reinterpret_cast<const int64_t*>(a->dimensions), static_cast<size_t>(a->nd)};
}

bool is_array(const py::handle& object) {
  return Py_TYPE(object.ptr()) == py::detail::npy_api::get().PyArray_Type_;
}

int type_number(const py::handle& array) {
  return py::reinterpret_borrow<py::dtype>(proxy(array)->descr).num();
}

std::string letter(size_t k) {
  constexpr std::string_view kLetters = "ijklmnpqrstuvw";
  return k < kLetters.size() ? std::string(1, kLetters[k]) : "i" + std::to_string(k);
}

std::string list_text(std::span<const int64_t> numbers) {
  std::string s = "[";
  for (const int64_t n : numbers) s += (s.size() > 1 ? ", " : "") + std::to_string(n);
  return s + "]";
}

// One array for each dimension of `sizes`, of positions that count them as one.
template <class I>
std::vector<py::object> split_positions(const py::array& positions,
                                        std::span<const int64_t> sizes) {
  const int64_t count[] = {positions.size()};
  std::vector<py::object> result;
  std::vector<I*> coordinates;
  for (size_t i = 0; i < sizes.size(); ++i) {
    py::array array = make_array(py::dtype::of<I>(), count);
    coordinates.push_back(static_cast<I*>(array.mutable_data()));
    result.push_back(std::move(array));
  }
  const std::span<const I> from(static_cast<const I*>(positions.data()),
                                static_cast<size_t>(count[0]));
  const GilRelease nogil(from.size_bytes() >= 2048);
  list_coordinates<I>(sizes, from, coordinates);
  return result;
}

// The positions of a mask's true elements, or their coordinates.
template <class I>
std::vector<py::object> find_true(const ArrayView& mask, bool merged) {
  const bool brief = mask.bytes() < 2048;
  std::optional<TruePositions> found;
  {
    const GilRelease nogil(!brief);
    found.emplace(mask.tensor());
  }
  const int64_t count[] = {found->count()};
  py::array positions = make_array(py::dtype::of<I>(), count);
  {
    const GilRelease nogil(!brief);
    found->list(static_cast<I*>(positions.mutable_data()));
  }
  if (merged) return {std::move(positions)};
  return split_positions<I>(positions, mask.tensor().shape);
}

// One array per axis that the component's positions count as one.
std::vector<py::object> coordinates(const Selection::Component& c, std::span<const int64_t> shape) {
  const auto axes = static_cast<size_t>(c.merged);
  const auto array = py::reinterpret_borrow<py::array>(c.array);
  const auto sizes = shape.subspan(static_cast<size_t>(c.source), axes);
  if (array.itemsize() == sizeof(int32_t)) return split_positions<int32_t>(array, sizes);
  return split_positions<int64_t>(array, sizes);
}

// A slice that covers the axis, with no bound below 0.
py::slice to_slice(const Selection::Axis& axis) {
  if (axis.length == 0) return {0, 0, 1};
  const int64_t last = axis.start + (axis.length - 1) * axis.step;
  const std::optional<py::ssize_t> stop = axis.step > 0 ? std::optional<py::ssize_t>(last + 1)
                                          : last > 0    ? std::optional<py::ssize_t>(last - 1)
                                                        : std::nullopt;
  return {std::optional<py::ssize_t>(axis.start), stop, std::optional<py::ssize_t>(axis.step)};
}

}  // namespace

struct Selection::Item {
  ItemKind kind = kNone;
  py::object object;
  int rank = 0;  // of an array, read after the last Python code has run
  int64_t integer = 0;
  Py_ssize_t start = 0, stop = 0, step = 1;

  int consumed() const {
    if (kind == kMask) return rank;
    return kind == kSlice || kind == kArray || kind == kInteger ? 1 : 0;
  }
  bool indexes() const { return kind != kNone && kind != kEllipsis && kind != kSlice; }

  // Returns false if the object is none of the kinds.
  bool read(const py::handle& item) {
    object = py::reinterpret_borrow<py::object>(item);
    PyObject* const p = item.ptr();
    if (is_array(item)) {
      const int type = type_number(item);
      if (type == kBool && proxy(item)->nd == 0) {
        kind = *static_cast<const char*>(py::reinterpret_borrow<py::array>(item).data()) != 0
                   ? kTrue
                   : kFalse;
        return true;
      }
      kind = type == kBool ? kMask : kArray;
      return type == kBool || (kFirstInteger <= type && type <= kLastInteger);
    }
    if (PyLong_CheckExact(p)) {
      kind = kInteger;
      return true;
    }
    if (PySlice_Check(p)) {
      kind = kSlice;
      return true;
    }
    kind = p == Py_None ? kNone : p == Py_Ellipsis ? kEllipsis : p == Py_True ? kTrue : kFalse;
    return kind != kFalse || p == Py_False;
  }
};

namespace {

constexpr int64_t kMostReplaced = int64_t{1} << 62;  // the size of an axis

// An int64 for a Python int beyond all of them: out of range, too, and congruent modulo the size,
// which is at most kMostReplaced.
int64_t stand_in(const py::object& number, bool is_negative, int64_t size) {
  const int64_t end = is_negative ? INT64_MIN : INT64_MAX;
  if (size == 0) return end;
  const py::object remainder =
      py::reinterpret_steal<py::object>(PyNumber_Remainder(number.ptr(), py::int_(size).ptr()));
  if (!remainder) throw py::error_already_set();
  const auto rest = remainder.cast<int64_t>();
  const int64_t end_rest = (end % size + size) % size;
  return is_negative ? end + (rest - end_rest + size) % size
                     : end - (end_rest - rest + size) % size;
}

std::string text_of(const Selection::Component& c) {
  if (!c.huge) return std::to_string(c.integer);
  // Python refuses to write out very long ones.
  const bool is_long = c.huge.attr("bit_length")().cast<int64_t>() > 128;
  return is_long ? "of more than 128 bits" : py::str(c.huge).cast<std::string>();
}

}  // namespace

bool Selection::can_wait(const py::handle& index) {
  const auto waits = [](PyObject* item) {
    if (is_array(item)) {
      const int type = type_number(item);
      return kFirstInteger <= type && type <= kLastInteger;
    }
    return PyLong_CheckExact(item) || PySlice_Check(item) || item == Py_None || item == Py_Ellipsis;
  };
  PyObject* const p = index.ptr();
  if (!PyTuple_CheckExact(p)) return waits(p);
  return std::all_of(PySequence_Fast_ITEMS(p), PySequence_Fast_ITEMS(p) + PyTuple_GET_SIZE(p),
                     waits);
}

Selection::Items Selection::read_items(const py::object& index, const py::object& classify) {
  const bool is_tuple = PyTuple_Check(index.ptr()) != 0;
  const Py_ssize_t count = is_tuple ? PyTuple_GET_SIZE(index.ptr()) : 1;
  Items items;
  for (Py_ssize_t i = 0; i < count; ++i) {
    const py::handle given = is_tuple ? PyTuple_GET_ITEM(index.ptr(), i) : index.ptr();
    Item item;
    if (!item.read(given) && !item.read(classify(given))) throw py::index_error("at: no index");
    items.push_back(std::move(item));
  }
  for (Item& item : items) {  // the parts of slices are read last, as in NumPy
    if (item.kind != kSlice) continue;
    if (PySlice_Unpack(item.object.ptr(), &item.start, &item.stop, &item.step) < 0) {
      throw py::error_already_set();
    }
  }
  return items;
}

Selection::Selection(const py::array& x, const py::object& index, const py::object& classify) {
  Items items = read_items(index, classify);
  // No Python code of this thread runs from here on.
  shape_ = Dims(shape_of(x));
  strides_ = Dims({reinterpret_cast<const int64_t*>(proxy(x)->strides), shape().size()});
  int used = 0, ellipses = 0;
  for (Item& item : items) {
    if (item.kind == kMask) item.rank = proxy(item.object)->nd;
    used += std::min(item.consumed(), kMaxRank + 1 - std::min(used, kMaxRank));
    ellipses += item.kind == kEllipsis ? 1 : 0;
  }
  if (ellipses > 1) throw py::index_error("at: an index can only have a single ellipsis ('...')");
  if (used > shape_.size()) {
    throw py::index_error("at: too many indices: the array has " + std::to_string(shape_.size()) +
                          " dimensions, but " + std::to_string(used) + " were indexed");
  }
  const int rest = shape_.size() - used;
  int groups = 0;
  bool inside = false;
  for (const Item& item : items) {
    if (item.indexes() && !inside && ++groups == 1) {
      position_ = static_cast<int>(axes_.size());  // no axis before this one is indexed
    }
    inside = item.indexes();
    take(item, rest);
  }
  if (ellipses == 0) {
    Item implied;
    implied.kind = kEllipsis;
    take(implied, rest);
    kinds_.pop_back();
  }
  if (groups > 1) position_ = 0;
  plain_ = find_plain();
}

void Selection::take(const Item& item, int rest) {
  const auto whole = [this] { axes_.push_back({used_, 0, 1, shape_[used_]}), ++used_; };
  switch (item.kind) {
    case kNone:
      axes_.push_back({});
      break;
    case kEllipsis:
      for (int i = 0; i < rest; ++i) whole();
      break;
    case kSlice: {
      Py_ssize_t start = item.start, stop = item.stop;
      const int64_t length = PySlice_AdjustIndices(shape_[used_], &start, &stop, item.step);
      axes_.push_back({used_, start, item.step, length});
      ++used_;
      break;
    }
    case kTrue:
    case kFalse: {
      const int64_t size[] = {item.kind == kTrue ? 1 : 0};
      broadcast(size);
      break;
    }
    case kInteger: {
      int overflow = 0;
      const int64_t value = PyLong_AsLongLongAndOverflow(item.object.ptr(), &overflow);
      take_array({}, 1);
      Component& c = components_.back();
      c.integer = value;
      if (overflow == 0) break;
      c.huge = item.object;
      if (c.size > kMostReplaced)
        throw py::index_error(describe_bad(components_.size() - 1, {}, ""));
      c.integer = stand_in(item.object, overflow < 0, c.size);
      break;
    }
    case kArray:
      take_array(item.object, 1);
      break;
    case kMask:
      return take_mask(py::reinterpret_borrow<py::array>(item.object), item.rank);
  }
  kinds_ += item.kind;
}

void Selection::take_mask(const py::array& given, int rank) {
  const ArrayView mask(given, "at", "a mask");
  const auto sizes = mask.tensor().shape;
  // Other threads may have run while the elements of another mask were counted.
  if (mask.tensor().dtype.kind != gathernd::Kind::kBool ||
      sizes.size() != static_cast<size_t>(rank)) {
    throw std::runtime_error("at: a mask was given another shape or dtype during the call");
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int axis = used_ + static_cast<int>(i);
    if (sizes[i] == shape_[axis] || sizes[i] == 0) continue;  // NumPy takes 0 for every size
    throw py::index_error("at: boolean index did not match indexed array along axis " +
                          std::to_string(axis) + "; size of axis is " +
                          std::to_string(shape_[axis]) +
                          " but size of corresponding boolean axis is " + std::to_string(sizes[i]));
  }
  int64_t elements;
  if (!count_elements(sizes, &elements)) throw py::value_error("at: a mask is too big");
  const bool merged = elements > 0 && is_one_run(rank);
  const bool narrow = elements <= INT32_MAX;
  for (const py::object& array :
       narrow ? find_true<int32_t>(mask, merged) : find_true<int64_t>(mask, merged)) {
    take_array(array, merged ? rank : 1);
    kinds_ += kArray;
  }
}

void Selection::take_array(const py::object& array, int merged) {
  Component component{bool(array), array, 0, static_cast<int>(axes_.size()), used_, merged, 1};
  for (int i = 0; i < merged; ++i, ++used_) {
    axes_.push_back({used_, 0, 1, shape_[used_]});
    component.size *= shape_[used_];  // a mask has as many elements
  }
  components_.push_back(std::move(component));
  if (array) broadcast(shape_of(array));
}

// Whether the next axes lie in memory as one axis, so that they can be indexed as one.
bool Selection::is_one_run(int axes) const {
  for (int i = used_; i < used_ + axes - 1; ++i) {
    int64_t bytes;
    if (!checked_mul(shape_[i + 1], strides_[i + 1], &bytes) || strides_[i] != bytes) return false;
  }
  return true;
}

void Selection::broadcast(std::span<const int64_t> given) {
  const auto rank = static_cast<int>(given.size());
  if (rank > outer_.size()) {  // ones in front
    const int more = rank - outer_.size();
    Dims longer;
    for (int i = 0; i < more; ++i) longer.push_back(1);
    longer.append(outer());
    outer_ = longer;
  }
  for (int i = 0; i < rank; ++i) {
    int64_t& size = outer_[outer_.size() - rank + i];
    const int64_t other = given[static_cast<size_t>(i)];
    if (other == size || other == 1) continue;
    if (size != 1) {
      throw py::index_error(
          "at: shape mismatch: indexing arrays could not be broadcast together with shapes " +
          shapes_text());
    }
    size = other;
  }
}

// The shapes of the arrays so far.
std::string Selection::shapes_text() const {
  std::string s;
  for (const Component& c : components_) {
    const std::span<const int64_t> none;
    s += (s.empty() ? "" : " ") + gathernd::text(c.array ? shape_of(c.array) : none);
  }
  return s;
}

bool Selection::covers() const {
  return std::ranges::all_of(axes_, [this](const Axis& axis) { return is_whole(axis); }) &&
         std::ranges::all_of(components_, [](const Component& c) { return c.is_array; });
}

bool Selection::is_whole(const Axis& axis) const {
  return axis.source < 0 || (axis.step == 1 && axis.length == shape_[axis.source]);
}

bool Selection::find_plain() const {
  if (position_ != 0 || axes_.size() != shape().size()) return false;
  for (size_t k = 0; k < components_.size(); ++k) {
    if (components_[k].axis != static_cast<int>(k) || components_[k].merged != 1) return false;
  }
  for (size_t i = components_.size(); i < axes_.size(); ++i) {
    if (axes_[i].source < 0 || !is_whole(axes_[i])) return false;
  }
  return true;
}

bool Selection::merges() const {
  return std::ranges::any_of(components_, [](const Component& c) { return c.merged != 1; });
}

Selection Selection::split() const {
  Selection result(*this);
  result.components_ = {};
  result.kinds_.clear();
  size_t k = 0;
  for (const char kind : kinds_) {
    if (kind != kInteger && kind != kArray) {
      result.kinds_ += kind;
      continue;
    }
    const Component& c = components_[k++];
    const std::vector<py::object> arrays =
        c.merged == 1 ? std::vector{c.array} : coordinates(c, shape());
    for (size_t i = 0; i < arrays.size(); ++i) {
      Component one = c;
      one.array = arrays[i];
      one.axis += static_cast<int>(i);
      one.source += static_cast<int>(i);
      one.merged = 1;
      one.size = shape_[one.source];
      result.components_.push_back(std::move(one));
      result.kinds_ += kind;
    }
  }
  result.plain_ = result.find_plain();
  return result;
}

Selection Selection::without_arrays() const {
  Selection result(*this);
  for (Component& c : result.components_) c.array = {};
  return result;
}

py::tuple Selection::expression(const Dims& integers, const std::vector<py::object>& arrays) const {
  const auto is_integer = [&](size_t k) {
    return std::ranges::find(integers, static_cast<int64_t>(k)) != integers.end();
  };
  const auto spanned = static_cast<size_t>(std::ranges::count_if(kinds_, [](char kind) {
    return std::string_view("N:ni").find(kind) != std::string_view::npos;
  }));
  py::list items;
  size_t k = 0, next_array = 0, axis = 0;
  for (const char kind : kinds_) {
    switch (kind) {
      case kEllipsis:
        items.append(py::ellipsis());
        axis += axes_.size() - spanned;
        break;
      case kTrue:
      case kFalse:
        items.append(py::bool_(kind == kTrue));
        break;
      case kNone:
        items.append(py::none());
        ++axis;
        break;
      case kSlice:
        items.append(to_slice(axes_[axis++]));
        break;
      default:
        if (is_integer(k)) {
          items.append(components_[k].integer);
        } else {
          items.append(arrays.at(next_array++));
        }
        ++k;
        ++axis;
    }
  }
  return py::tuple(items);
}

std::string Selection::text() const {
  std::string s;
  size_t k = 0;
  for (const char kind : kinds_) {
    s += s.empty() ? "[" : ", ";
    switch (kind) {
      case kNone:
        s += "None";
        break;
      case kEllipsis:
        s += "...";
        break;
      case kSlice:
        s += ":";
        break;
      case kTrue:
      case kFalse:
        s += kind == kTrue ? "True" : "False";
        break;
      case kInteger:
        s += text_of(components_[k++]);
        break;
      default: {
        const py::object& array = components_[k].array;
        s += array && proxy(array)->nd == 0 ? py::str(array).cast<std::string>() : letter(k);
        ++k;
      }
    }
  }
  return (s.empty() ? "[" : s) + "]";
}

std::string Selection::describe_bad(size_t component, std::span<const int64_t> place,
                                    const std::string& value) const {
  const Component& c = components_[component];
  return "at" + text() + ": index " + (c.huge ? text_of(c) : value) +
         (place.empty() ? "" : " in " + letter(component) + list_text(place)) +
         " is out of range for axis " + std::to_string(c.source) + " of size " +
         std::to_string(c.size);
}

std::string Selection::describe_duplicates(int64_t first, int64_t second) const {
  const auto place = [this](int64_t position) {
    Dims at(outer());
    for (int i = at.size() - 1; i >= 0; --i) {
      const int64_t size = std::max<int64_t>(at[i], 1);
      at[i] = position % size;
      position /= size;
    }
    return list_text({at.begin(), at.end()});
  };
  return "at" + text() + ": positions " + place(first) + " and " + place(second) +
         " of the index select the same place (duplicates=\"error\")";
}

void bind_selection(py::module_& m) {
  auto type = sealed_class<Selection>(m, "Selection");
  type.def_property_readonly("covers", &Selection::covers)
      .def_property_readonly("merges", &Selection::merges)
      .def_property_readonly("text", &Selection::text)
      .def_property_readonly("outer", [](const Selection& s) { return to_tuple(s.outer()); })
      .def_property_readonly("is_plain", &Selection::is_plain)
      .def_property_readonly("depth", [](const Selection& s) { return s.components().size(); });
  seal(type);
  m.def(
      "select",
      [](const py::array& x, const py::object& index, const py::object& classify) {
        return Selection(x, index, classify);  // no pointer: pybind11 frees it twice without memory
      },
      py::arg("x"), py::arg("index"), py::arg("classify"));
}

}  // namespace gathernd::bindings
