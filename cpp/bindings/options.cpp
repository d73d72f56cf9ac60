#include "options.hpp"

#include <string>

namespace gathernd::bindings {
namespace {

// Names come from the core's name(), so that each is spelt once.
template <class Option>
Option parse(Operator op, const char* what, const py::object& given,
             std::span<const Option> allowed) {
  if (PyUnicode_Check(given.ptr())) {
    for (const Option option : allowed) {
      if (PyUnicode_CompareWithASCIIString(given.ptr(), name(option)) == 0) return option;
    }
  }
  std::string list;
  for (const Option option : allowed) {
    list += (list.empty() ? "\"" : ", \"") + std::string(name(option)) + "\"";
  }
  throw py::value_error(std::string(name(op)) + ": " + what + " must be one of " + list + ", not " +
                        py::repr(given).cast<std::string>());
}

}  // namespace

Mode parse_mode(Operator op, const py::object& given, std::span<const Mode> allowed) {
  return parse(op, "mode", given, allowed);
}

Reduction parse_reduction(Operator op, const py::object& given) {
  static constexpr Reduction kAll[] = {Reduction::kNone, Reduction::kAdd, Reduction::kSub,
                                       Reduction::kMul,  Reduction::kMin, Reduction::kMax,
                                       Reduction::kAnd,  Reduction::kOr,  Reduction::kXor};
  return parse<Reduction>(op, "reduction", given, kAll);
}

Duplicates parse_duplicates(Operator op, const py::object& given) {
  static constexpr Duplicates kAll[] = {Duplicates::kLast, Duplicates::kFirst, Duplicates::kError,
                                        Duplicates::kAny};
  return parse<Duplicates>(op, "duplicates", given, kAll);
}

bool parse_wrap_negative_indices(Operator op, const py::object& given) {
  py::detail::make_caster<bool> caster;
  if (caster.load(given, /*convert=*/false)) return py::detail::cast_op<bool>(caster);
  throw py::type_error(std::string(name(op)) + ": wrap_negative_indices must be a bool, not " +
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
