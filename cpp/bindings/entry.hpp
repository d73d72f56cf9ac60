// Built-in functions and methods in place of Python's: they run the usual calls without a Python
// frame, and pass all others on.
#pragma once

#include "numpy.hpp"

namespace gathernd::bindings {

using FastCall = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

// The name, signature and documentation of `python` for a built-in function. They live as long as
// the process, like all module functions.
PyMethodDef* describe(const py::function& python, PyCFunction call, int flags);
PyMethodDef* describe(const py::function& python, FastCall call);

// Puts a built-in method in the place of the Python one, which is returned.
PyObject* replace_method(const py::type& type, const char* name, PyMethodDef* method);
PyObject* replace_method(const py::type& type, const char* name, FastCall call);

// Calls the Python function of a method with the arguments of a FastCall.
PyObject* call_method(PyObject* function, PyObject* self, PyObject* const* given, Py_ssize_t count,
                      PyObject* keywords);

// Calls f for CPython: turns C++ exceptions into Python's and returns null.
template <class F>
PyObject* guarded(F f) {
  try {
    return f();
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (...) {
    py::detail::try_translate_exceptions();
  }
  return nullptr;
}

inline bool is_plain_array(const PyObject* object) {
  return object != nullptr && Py_TYPE(object) == py::detail::npy_api::get().PyArray_Type_;
}

}  // namespace gathernd::bindings
