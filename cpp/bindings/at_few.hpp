// gathernd.at for few elements, without a plan, which would take most of the time.
#pragma once

#include <optional>

#include "indexing.hpp"
#include "numpy.hpp"

namespace gathernd::bindings {

// The elements of `table`, a view of x, that the frame selects; none if they are many or not simple
// or an index is out of range: then a plan is needed.
std::optional<py::array> gather_few(const Frame& frame, const View& table, const ArrayView& x,
                                    const GatherOptions& options);

// Sets them to `updates`, or reduces into them; false, with x as it was, in the same cases.
bool update_few(const Frame& frame, const View& table, const ArrayView& x, const ArrayView& updates,
                const ScatterOptions& options);

}  // namespace gathernd::bindings
