// Python types whose instances only functions of this module can make.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace gathernd::bindings {

// Every instance has its C++ object, because Python code can neither call the type or its __new__
// nor derive from it. py::init is not used, because an exception while it registers an instance
// ends the process; in a factory function that exception is caught.
template <class T>
pybind11::class_<T> sealed_class(pybind11::module_& m, const char* name) {
  const auto setup = [](PyHeapTypeObject* type) {
    type->ht_type.tp_flags |= Py_TPFLAGS_DISALLOW_INSTANTIATION;
  };
  pybind11::class_<T> type(m, name, pybind11::is_final(), pybind11::custom_type_setup(setup));
  // Pickling by protocol 0 or 1 would call pybind11's own base class, which ends the process.
  type.def("__reduce_ex__", [](const pybind11::object& self, const pybind11::object&) {
    const auto* const type_of_self = Py_TYPE(self.ptr());
    throw pybind11::type_error(std::string("cannot pickle '") + type_of_self->tp_name + "' object");
  });
  return type;
}

// Ends the definition of the type. After that, assigning to __class__ cannot turn instances of one
// such type into those of another.
inline void seal(const pybind11::object& type) {
  auto* object = reinterpret_cast<PyTypeObject*>(type.ptr());
  object->tp_flags |= Py_TPFLAGS_IMMUTABLETYPE;
  PyType_Modified(object);
}

}  // namespace gathernd::bindings
