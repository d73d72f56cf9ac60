// gathernd.at for few elements, without a plan, which would take most of the time.
#pragma once

#include <optional>

#include "numpy.hpp"
#include "selection.hpp"

namespace gathernd::bindings {

// x[index]; none if the call is not simple or an index is out of range: then a plan is needed.
std::optional<py::array> gather_brief(const Selection& selection, const ArrayView& x, Mode mode,
                                      bool wraps);

// x[index] = rows, or the reduction of the two; false, with x as it was, in the same cases.
bool update_brief(const Selection& selection, const ArrayView& x, const ArrayView& rows,
                  const ScatterOptions& options);

}  // namespace gathernd::bindings
