// Python types whose instances only functions of this module make.
#pragma once

#include <pybind11/pybind11.h>

namespace gathernd::bindings {

// No instance is without its C++ object: Python code can neither call the type nor its __new__, nor
// derive from it. py::init is not for these, either: it registers an instance where an exception
// ends the process, the factory functions do so where it is caught.
template <class T>
pybind11::class_<T> sealed_class(pybind11::module_& m, const char* name) {
  const auto setup = [](PyHeapTypeObject* type) {
    type->ht_type.tp_flags |= Py_TPFLAGS_DISALLOW_INSTANTIATION;
  };
  return pybind11::class_<T>(m, name, pybind11::is_final(), pybind11::custom_type_setup(setup));
}

// The end of the type's definition: instances of one such type cannot become those of another by
// an assignment to __class__.
inline void seal(const pybind11::object& type) {
  auto* object = reinterpret_cast<PyTypeObject*>(type.ptr());
  object->tp_flags |= Py_TPFLAGS_IMMUTABLETYPE;
  PyType_Modified(object);
}

}  // namespace gathernd::bindings
