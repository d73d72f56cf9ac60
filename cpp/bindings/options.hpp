// Options as Python gives them.
#pragma once

#include "numpy.hpp"

namespace gathernd::bindings {

// Each throws ValueError for a value that the operator does not take, and lists those that it does.
Mode parse_mode(Operator op, const py::object& given);
Reduction parse_reduction(Operator op, const py::object& given);
Duplicates parse_duplicates(Operator op, const py::object& given);

// Accepts True and False, also NumPy's. Throws TypeError for anything else.
bool parse_wrap_negative_indices(Operator op, const py::object& given);

// Accepts any integer except a bool. Throws TypeError for anything else, and ValueError if it does
// not fit 64 bits.
int64_t parse_batch_dims(Operator op, const py::object& given);

}  // namespace gathernd::bindings
