#include "options.hpp"

#include <span>
#include <string>

#include "core/options.hpp"

namespace gathernd::bindings {
namespace {

std::string begin_of(Operator op, const char* function) {
  return std::string(function != nullptr ? function : name(op)) + ": ";
}

template <class Option>
Option parse(Operator op, const char* what, const py::object& given, std::span<const Option> all,
             const char* function) {
  if (PyUnicode_Check(given.ptr())) {
    for (const Option option : all) {
      const bool is_name = PyUnicode_CompareWithASCIIString(given.ptr(), name(option)) == 0;
      if (is_name && takes(op, option)) return option;
    }
  }
  throw py::value_error(begin_of(op, function) +
                        must_be_one(op, what, all, py::repr(given).cast<std::string>()));
}

}  // namespace

Mode parse_mode(Operator op, const py::object& given, const char* function) {
  return parse(op, "mode", given, all_modes(), function);
}

Reduction parse_reduction(Operator op, const py::object& given, const char* function) {
  return parse(op, "reduction", given, all_reductions(), function);
}

Duplicates parse_duplicates(Operator op, const py::object& given, const char* function) {
  return parse(op, "duplicates", given, all_duplicates(), function);
}

bool parse_wrap_negative_indices(Operator op, const py::object& given, const char* function) {
  py::detail::make_caster<bool> caster;
  if (caster.load(given, /*convert=*/false)) return py::detail::cast_op<bool>(caster);
  throw py::type_error(begin_of(op, function) + "wrap_negative_indices must be a bool, not " +
                       py::repr(given).cast<std::string>());
}

int64_t parse_batch_dims(Operator op, const py::object& given) {
  py::object number;
  if (!PyBool_Check(given.ptr()) && PyIndex_Check(given.ptr())) {
    number = py::reinterpret_steal<py::object>(PyNumber_Index(given.ptr()));
  }
  if (!number) {
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) throw py::error_already_set();
    PyErr_Clear();  // the TypeError of an array's __index__, for example
    throw py::type_error(std::string(name(op)) + ": batch_dims must be an integer, not " +
                         py::repr(given).cast<std::string>());
  }
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0) {
    throw py::value_error(std::string(name(op)) + ": batch_dims must be from 0 to " +
                          std::to_string(kMaxRank) + ", not a number of more than 64 bits");
  }
  return value;
}

}  // namespace gathernd::bindings
