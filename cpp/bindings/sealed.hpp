// Python types whose instances only functions of this module can make.
#pragma once

#include <pybind11/pybind11.h>

namespace gathernd::bindings {

// Every instance has its C++ object, because Python code can neither call the type or its __new__
// nor derive from it. py::init is not used, because an exception while it registers an instance
// ends the process; in a factory function that exception is caught.
template <class T>
pybind11::class_<T> sealed_class(pybind11::module_& m, const char* name) {
  const auto setup = [](PyHeapTypeObject* type) {
    type->ht_type.tp_flags |= Py_TPFLAGS_DISALLOW_INSTANTIATION;
  };
  return pybind11::class_<T>(m, name, pybind11::is_final(), pybind11::custom_type_setup(setup));
}

// Ends the definition of the type. After that, assigning to __class__ cannot turn instances of one
// such type into those of another.
inline void seal(const pybind11::object& type) {
  auto* object = reinterpret_cast<PyTypeObject*>(type.ptr());
  object->tp_flags |= Py_TPFLAGS_IMMUTABLETYPE;
  PyType_Modified(object);
}

}  // namespace gathernd::bindings
