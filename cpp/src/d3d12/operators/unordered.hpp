// Scatters whose result does not depend on the order of the updates, by a device's atomics. They
// write directly to the table; other scatters first find each row's tuples.
#pragma once

#include "d3d12/operators/resolve.hpp"
#include "d3d12/operators/strategy.hpp"

namespace gathernd::d3d12 {

// Records the scatter. May wait to see whether a tuple is bad.
Resolver scatter_by_atomics(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands,
                            const ScatterStrategy& strategy);

}  // namespace gathernd::d3d12
