// IndexPlan for NumPy arrays, with parsed options.
#pragma once

#include <optional>

#include "gathernd/index_plan.hpp"
#include "numpy.hpp"

namespace gathernd::bindings {

// Returns `out`, or a new array if it is None. `fill_value` is for modes that leave holes.
py::array gather_by(const IndexPlan& plan, const py::array& input,
                    const std::optional<py::array>& fill_value, const py::object& out);

py::array scatter_by(const IndexPlan& plan, const py::array& input, const py::array& updates,
                     const py::object& out, Reduction reduction, Duplicates duplicates);

// Puts built-in methods in the place of gather and scatter of the Python class `plan`. They run
// calls of plain arrays without a Python frame, and pass all others on.
void enter_plan(const py::type& plan);

}  // namespace gathernd::bindings
