// Options as Python spells them.
#pragma once

#include <array>

#include "numpy.hpp"

namespace gathernd::bindings {

// ValueError that lists what is allowed.
Mode parse_mode(Operator op, const py::object& given, std::initializer_list<Mode> special);
Reduction parse_reduction(Operator op, const py::object& given);
Duplicates parse_duplicates(Operator op, const py::object& given);

// Any integer but a bool: TypeError. What does not fit 64 bits becomes the nearest that does.
int64_t parse_batch_dims(Operator op, const py::object& given);

}  // namespace gathernd::bindings
