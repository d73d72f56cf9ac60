// Options as Python gives them.
#pragma once

#include "numpy.hpp"

namespace gathernd::bindings {

// Each throws ValueError for a value that the operator does not take, and lists those that it does.
// The message begins with `function`; null: the operator's name.
Mode parse_mode(Operator op, const py::object& given, const char* function = nullptr);
Reduction parse_reduction(Operator op, const py::object& given, const char* function = nullptr);
Duplicates parse_duplicates(Operator op, const py::object& given, const char* function = nullptr);

// Accepts True and False, also NumPy's. Throws TypeError for anything else.
bool parse_wrap_negative_indices(Operator op, const py::object& given,
                                 const char* function = nullptr);

// Accepts any integer except a bool. Throws TypeError for anything else, and ValueError if it does
// not fit 64 bits.
int64_t parse_batch_dims(Operator op, const py::object& given);

}  // namespace gathernd::bindings
