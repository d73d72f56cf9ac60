// Scatters whose result does not tell in which order the updates came, by a device's atomics:
// straight into the table, where others look for each row's tuples first.
#pragma once

#include "d3d12/operators/atomics.hpp"

namespace gathernd::d3d12 {

// Records the scatter; may wait, to see whether a tuple is bad.
Resolver scatter_unordered(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands,
                           const Atomics& atomics);

}  // namespace gathernd::d3d12
