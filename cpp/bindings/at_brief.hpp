// gathernd.at of few elements without a plan, which would take most of the time.
#pragma once

#include <optional>

#include "numpy.hpp"
#include "selection.hpp"

namespace gathernd::bindings {

// x[index]; none where that is no simple call, or an index is out of range: a plan says what it is.
std::optional<py::array> gather_brief(const Selection& selection, const ArrayView& x, Mode mode,
                                      bool wraps);

// x[index] = rows, the last one of duplicates; false, with x as it was, in the same cases.
bool set_brief(const Selection& selection, const ArrayView& x, const ArrayView& rows, Mode mode,
               bool wraps);

}  // namespace gathernd::bindings
