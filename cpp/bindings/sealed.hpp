// Python types whose instances only functions of this module can make.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace gathernd::bindings {

// The type of the sealed class of T.
template <class T>
inline PyTypeObject* sealed_type = nullptr;

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
  sealed_type<T> = reinterpret_cast<PyTypeObject*>(type.ptr());
  return type;
}

// The C++ object of an instance, as by cast(), which takes longer: it looks the type up.
template <class T>
const T& value_of(const pybind11::handle& object) {
  const PyTypeObject* const type = Py_TYPE(object.ptr());
  if (type != sealed_type<T>) {
    throw pybind11::type_error(std::string("expected ") + sealed_type<T>->tp_name + ", got " +
                               type->tp_name);
  }
  auto* const instance = reinterpret_cast<pybind11::detail::instance*>(object.ptr());
  return *instance->get_value_and_holder().value_ptr<T>();
}

// Ends the definition of the type. After that, assigning to __class__ cannot turn instances of one
// such type into those of another.
inline void seal(const pybind11::object& type) {
  auto* object = reinterpret_cast<PyTypeObject*>(type.ptr());
  object->tp_flags |= Py_TPFLAGS_IMMUTABLETYPE;
  PyType_Modified(object);
}

}  // namespace gathernd::bindings
