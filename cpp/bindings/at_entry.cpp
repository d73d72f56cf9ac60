// gathernd.at as CPython calls it: calls of plain arrays without options need no Python frame.
#include <pybind11/critical_section.h>
#include <structmember.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "at.hpp"
#include "cpu/kernels/kind_types.hpp"
#include "entry.hpp"
#include "sealed.hpp"

namespace gathernd::bindings {
namespace {

// A slot of a Python class with __slots__. `self`: an instance of it.
class Slot {
 public:
  void find(const py::type& type, const char* name) {
    const py::object descriptor = type.attr(name);
    offset_ = reinterpret_cast<PyMemberDescrObject*>(descriptor.ptr())->d_member->offset;
  }
  py::object get(PyObject* self) const {
    const py::scoped_critical_section lock(self);
    PyObject* const value = *at(self);
    if (value == nullptr) throw py::attribute_error("at: an object without its attributes");
    return py::reinterpret_borrow<py::object>(value);
  }
  void set(PyObject* self, const py::handle& value) const {
    py::object old;  // released after the lock
    const py::scoped_critical_section lock(self);
    old = py::reinterpret_steal<py::object>(std::exchange(*at(self), value.inc_ref().ptr()));
  }

 private:
  PyObject** at(PyObject* self) const {
    return reinterpret_cast<PyObject**>(reinterpret_cast<std::byte*>(self) + offset_);
  }

  Py_ssize_t offset_;
};

// What make_at_entry is given; it lives as long as the process.
struct Classes {
  PyTypeObject *at, *indexed;
  Slot array, target, options;           // of At
  Slot owner, index, selected, updated;  // of Indexed
  PyObject *defaults, *classify;
  PyObject *python_at, *getitem, *setitem, *get;
};
Classes classes;

py::object allocate(PyTypeObject* type) {
  PyObject* const object = type->tp_alloc(type, 0);
  if (object == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(object);
}

py::array as_array(const py::object& object) { return py::reinterpret_borrow<py::array>(object); }

Selection select(const py::object& array, PyObject* index) {
  return {as_array(array), py::reinterpret_borrow<py::object>(index),
          py::reinterpret_borrow<py::object>(classes.classify)};
}

// The At of an Indexed.
py::object owner_of(PyObject* indexed) {
  py::object at = classes.owner.get(indexed);
  if (!PyObject_TypeCheck(at.ptr(), classes.at)) throw py::type_error("at: not an At");
  return at;
}

// Calls f with what an Indexed selects of the array.
template <class F>
void with_selection(PyObject* indexed, const py::object& array, F f) {
  const py::object selected = classes.selected.get(indexed);
  if (!selected.is_none()) return f(value_of<Selection>(selected));
  f(select(array, classes.index.get(indexed).ptr()));
}

PyObject* call_python(PyObject* function, PyObject* self, PyObject* a, PyObject* b = nullptr) {
  return PyObject_CallFunctionObjArgs(function, self, a, b, nullptr);
}

// Writes a Python int or float, if the element holds it but for one rounding.
template <class T>
bool store(PyObject* number, void* element) {
  T value;
  int overflow = 0;
  const bool is_int = PyLong_CheckExact(number) != 0;
  const int64_t integer = is_int ? PyLong_AsLongLongAndOverflow(number, &overflow) : 0;
  if constexpr (std::is_integral_v<T>) {
    if (!is_int || overflow != 0 || !std::in_range<T>(integer)) return false;
    value = static_cast<T>(integer);
  } else {
    constexpr double kLeast = 1e-30, kMost = 1e15;  // there, doubles are exact or round no further
    const double real = is_int ? static_cast<double>(integer) : PyFloat_AS_DOUBLE(number);
    const double size = std::abs(real);
    if (overflow != 0 || (size != 0 && !(kLeast < size && size < kMost))) return false;
    value = static_cast<T>(real);
  }
  std::memcpy(element, &value, sizeof value);
  return true;
}

bool store(Kind kind, PyObject* number, void* element) {
  if (kind > Kind::kFloat64) return false;
  return with_type(kind, [&]<class T>(T) {
    if constexpr (std::is_arithmetic_v<T>) {
      return store<T>(number, element);
    } else {
      return false;
    }
  });
}

// The array of an At without options, and the updates as one of its dtype, if they can be written
// into it as they are. Else Python's code converts them, or says what is wrong.
struct PlainUpdate {
  py::object array, updates;

  PlainUpdate(PyObject* at, PyObject* given) {
    if (classes.options.get(at).ptr() != classes.defaults) return;
    array = classes.array.get(at);
    if (!is_plain_array(array.ptr()) || classes.target.get(at).ptr() != array.ptr()) return;
    auto* const descr = py::detail::array_proxy(array.ptr())->descr;
    if (is_plain_array(given)) {
      if (descr == py::detail::array_proxy(given)->descr) updates = borrow(given);
    } else if (PyLong_CheckExact(given) || PyFloat_CheckExact(given)) {
      const auto dtype = py::reinterpret_borrow<py::dtype>(descr);
      if (std::strchr("iuf", dtype.kind()) == nullptr) return;
      const DType type = to_dtype(dtype, "at", "x");
      py::array element(dtype, std::vector<py::ssize_t>{});
      if (type.native && store(type.kind, given, element.mutable_data())) {
        updates = std::move(element);
      }
    }
  }

  static py::object borrow(PyObject* object) { return py::reinterpret_borrow<py::object>(object); }
  explicit operator bool() const { return static_cast<bool>(updates); }
};

PyObject* call_at(PyObject*, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    if (count != 1 || keywords != nullptr || !is_plain_array(given[0])) {
      return PyObject_Vectorcall(classes.python_at, given, static_cast<size_t>(count), keywords);
    }
    py::object at = allocate(classes.at);
    classes.array.set(at.ptr(), given[0]);
    classes.target.set(at.ptr(), given[0]);
    classes.options.set(at.ptr(), classes.defaults);
    return at.release().ptr();
  });
}

PyObject* call_getitem(PyObject* self, PyObject* index) {
  return guarded([&]() -> PyObject* {
    const py::object array = classes.array.get(self);
    if (!is_plain_array(array.ptr())) return call_python(classes.getitem, self, index);
    const py::object selected =
        Selection::can_wait(index) ? py::none() : py::cast(select(array, index));
    py::object indexed = allocate(classes.indexed);
    classes.owner.set(indexed.ptr(), self);
    classes.index.set(indexed.ptr(), index);
    classes.selected.set(indexed.ptr(), selected);
    classes.updated.set(indexed.ptr(), Py_False);
    return indexed.release().ptr();
  });
}

// Whether one expression can have given both: from Python 3.12 on, `x[a:b] += u` makes a slice for
// each of its two steps.
bool is_same_index(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (!PySlice_Check(a) || !PySlice_Check(b)) return false;
  const auto *x = reinterpret_cast<PySliceObject*>(a), *y = reinterpret_cast<PySliceObject*>(b);
  return x->start == y->start && x->stop == y->stop && x->step == y->step;
}

// Whether `at[index] op= ...` has just been evaluated as far as `indexed`.
bool ends_update(PyObject* at, PyObject* index, PyObject* indexed) {
  if (Py_TYPE(indexed) != classes.indexed || classes.updated.get(indexed).ptr() != Py_True ||
      classes.owner.get(indexed).ptr() != at ||
      !is_same_index(classes.index.get(indexed).ptr(), index)) {
    return false;
  }
  classes.updated.set(indexed, Py_False);
  return true;
}

PyObject* call_setitem(PyObject* self, PyObject* const* given, Py_ssize_t count, PyObject*) {
  return guarded([&]() -> PyObject* {
    if (count != 2) return PyErr_Format(PyExc_TypeError, "__setitem__ takes 2 arguments");
    if (ends_update(self, given[0], given[1])) Py_RETURN_NONE;
    const PlainUpdate update(self, given[1]);
    if (!update) return call_python(classes.setitem, self, given[0], given[1]);
    update_at(nullptr, as_array(update.array), select(update.array, given[0]),
              as_array(update.updates), {});
    Py_RETURN_NONE;
  });
}

PyObject* call_get(PyObject* self, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    const py::object at = owner_of(self);
    if (count == 0 && keywords == nullptr &&
        classes.options.get(at.ptr()).ptr() == classes.defaults) {
      const py::object array = classes.array.get(at.ptr());
      if (is_plain_array(array.ptr())) {
        py::object result;
        with_selection(self, array, [&](const Selection& selection) {
          result = get_at(as_array(array), selection, {}, py::none(), {});
        });
        return result.release().ptr();
      }
    }
    return call_method(classes.get, self, given, count, keywords);
  });
}

// x[index] op= updates.
template <Reduction kReduction>
PyObject* call_in_place(PyObject* self, PyObject* updates) {
  return guarded([&]() -> PyObject* {
    const py::object at = owner_of(self);
    const PlainUpdate update(at.ptr(), updates);
    if (!update) {
      const py::object python = py::type::of(py::handle(self)).attr("_update_in_place");
      return call_python(python.ptr(), self, py::str(name(kReduction)).ptr(), updates);
    }
    with_selection(self, update.array, [&](const Selection& selection) {
      update_at(nullptr, as_array(update.array), selection, as_array(update.updates),
                {.reduction = kReduction});
    });
    classes.updated.set(self, Py_True);
    return Py_NewRef(self);
  });
}

py::function function_of(const py::type& type, const char* name) {
  return type.attr(name).cast<py::function>();
}

template <Reduction kReduction>
void replace_in_place(const py::type& indexed, const char* name) {
  PyMethodDef* const method =
      describe(function_of(indexed, name), &call_in_place<kReduction>, METH_O);
  replace_method(indexed, name, method);
}

}  // namespace

py::object make_at_entry(const py::function& python, const py::type& at, const py::type& indexed,
                         const py::function& classify, const py::tuple& defaults) {
  const auto keep = [](const py::object& object) { return py::object(object).release().ptr(); };
  Classes& c = classes;
  c.at = reinterpret_cast<PyTypeObject*>(keep(at));
  c.indexed = reinterpret_cast<PyTypeObject*>(keep(indexed));
  c.array.find(at, "_array");
  c.target.find(at, "_target");
  c.options.find(at, "_options");
  c.owner.find(indexed, "_at");
  c.index.find(indexed, "_index");
  c.selected.find(indexed, "_selected");
  c.updated.find(indexed, "_updated");
  c.defaults = keep(defaults);
  c.classify = keep(classify);
  c.python_at = keep(python);
  c.getitem = replace_method(at, "__getitem__",
                             describe(function_of(at, "__getitem__"), &call_getitem, METH_O));
  c.setitem = replace_method(at, "__setitem__", &call_setitem);
  c.get = replace_method(indexed, "get", &call_get);
  replace_in_place<Reduction::kAdd>(indexed, "__iadd__");
  replace_in_place<Reduction::kSub>(indexed, "__isub__");
  replace_in_place<Reduction::kMul>(indexed, "__imul__");
  replace_in_place<Reduction::kAnd>(indexed, "__iand__");
  replace_in_place<Reduction::kOr>(indexed, "__ior__");
  replace_in_place<Reduction::kXor>(indexed, "__ixor__");
  return py::reinterpret_steal<py::object>(
      PyCFunction_NewEx(describe(python, &call_at), nullptr, py::str("gathernd").release().ptr()));
}

}  // namespace gathernd::bindings
