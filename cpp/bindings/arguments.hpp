// The arguments of a built-in function, as CPython hands them over.
#pragma once

#include <algorithm>
#include <array>

#include "entry.hpp"

namespace gathernd::bindings {

// The arguments of a call in the order of `names`; null if not given. The first `positional` ones
// may be given without a name.
template <size_t N>
class Arguments {
 public:
  using Names = std::array<PyObject*, N>;  // interned

  // Returns false if Python must handle the call: it is wrong, or its names are not interned.
  bool read(const Names& names, Py_ssize_t positional, PyObject* const* given, Py_ssize_t count,
            PyObject* keywords) {
    if (count > positional) return false;
    for (Py_ssize_t i = 0; i < count; ++i) at_[static_cast<size_t>(i)] = given[i];
    const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
    for (Py_ssize_t i = 0; i < named; ++i) {
      const auto place = std::ranges::find(names, PyTuple_GET_ITEM(keywords, i));
      if (place == names.end()) return false;
      PyObject*& argument = at_[static_cast<size_t>(place - names.begin())];
      if (argument != nullptr) return false;
      argument = given[count + i];
    }
    return true;
  }

  bool has_plain_array(size_t place) const { return is_plain_array(at_[place]); }
  bool is_none(size_t place) const { return at_[place] == nullptr || at_[place] == Py_None; }
  // Whether no other device than the CPU is asked for.
  bool is_cpu(size_t place) const {
    return is_none(place) || (PyUnicode_CheckExact(at_[place]) &&
                              PyUnicode_CompareWithASCIIString(at_[place], "cpu") == 0);
  }

  py::array array(size_t place) const { return py::reinterpret_borrow<py::array>(at_[place]); }
  py::object object_or_none(size_t place) const {
    return py::reinterpret_borrow<py::object>(at_[place] == nullptr ? Py_None : at_[place]);
  }

  // Sets an option to parse(argument) if the argument is given.
  template <class T, class Parse>
  void set(size_t place, T* option, Parse parse) const {
    if (at_[place] != nullptr) *option = parse(py::reinterpret_borrow<py::object>(at_[place]));
  }

 private:
  std::array<PyObject*, N> at_{};
};

template <size_t N>
std::array<PyObject*, N> intern(const std::array<const char*, N>& names) {
  std::array<PyObject*, N> result;
  for (size_t i = 0; i < N; ++i) {
    result[i] = PyUnicode_InternFromString(names[i]);
    if (result[i] == nullptr) throw py::error_already_set();
  }
  return result;
}

}  // namespace gathernd::bindings
