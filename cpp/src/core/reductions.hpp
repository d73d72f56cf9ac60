// Facts about the reductions that hold on every backend. is_reducible in gathernd/plan.hpp says
// which types have which reduction.
#pragma once

#include "gathernd/dtype.hpp"
#include "gathernd/plan.hpp"

namespace gathernd {

// Whether it is min or max.
bool is_ordering(Reduction reduction);

// Whether repeating a whole sequence of updates changes nothing.
bool is_idempotent(Reduction reduction);

// Whether all updates of an element are combined in float32 and rounded once: sums and products of
// halves.
bool rounds_once(Kind kind, Reduction reduction);

// Whether the result depends on the order of the updates.
bool order_shows(Kind kind, Reduction reduction);

}  // namespace gathernd
