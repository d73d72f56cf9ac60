// What is true of the reductions, whatever computes them. Which types have which: is_reducible in
// gathernd/plan.hpp.
#pragma once

#include "gathernd/dtype.hpp"
#include "gathernd/plan.hpp"

namespace gathernd {

// min and max.
bool is_ordering(Reduction reduction);

// Whether a row that is combined a second time, after others that came in between both times,
// changes nothing.
bool is_idempotent(Reduction reduction);

// Whether all updates of an element are summed in float32 and rounded once: sums and products of
// halves.
bool rounds_once(Kind kind, Reduction reduction);

// Whether the result tells in which order the updates came.
bool order_shows(Kind kind, Reduction reduction);

}  // namespace gathernd
