// Inspects Python lists by loops that make no Python call per element.
#include <algorithm>
#include <vector>

#include "numpy.hpp"

namespace gathernd::bindings {
namespace {

// Calls f(element) for each element of a list that nobody else changes.
template <class F>
void for_each(const py::list& list, F f) {
  const py::ssize_t size = PyList_GET_SIZE(list.ptr());
  for (py::ssize_t i = 0; i < size; ++i) f(PyList_GET_ITEM(list.ptr(), i));
}

py::set element_types(const py::list& list) {
  std::vector<PyTypeObject*> types;
  for_each(list, [&](PyObject* element) {
    PyTypeObject* type = Py_TYPE(element);
    if (std::ranges::find(types, type) == types.end()) types.push_back(type);
  });
  py::set result;
  for (PyTypeObject* type : types) result.add(py::handle(reinterpret_cast<PyObject*>(type)));
  return result;
}

// The length of the longest str or bytes; TypeError for other elements.
py::ssize_t longest_text(const py::list& list) {
  py::ssize_t longest = 0;
  for_each(list, [&](PyObject* element) {
    const bool is_bytes = PyBytes_Check(element) != 0;
    if (!is_bytes && PyUnicode_Check(element) == 0) throw py::type_error("neither str nor bytes");
    const py::ssize_t size = is_bytes ? PyBytes_GET_SIZE(element) : PyUnicode_GET_LENGTH(element);
    longest = std::max(longest, size);
  });
  return longest;
}

}  // namespace

void bind_lists(py::module_& m) {
  m.def("element_types", &element_types, py::arg("list"));
  m.def("longest_text", &longest_text, py::arg("list"));
}

}  // namespace gathernd::bindings
