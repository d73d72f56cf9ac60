// The stage "reduce" on the device: updates combined into the table, in C order for each element.
#pragma once

#include "d3d12/operators/resolve.hpp"
#include "d3d12/operators/strategy.hpp"

namespace gathernd::d3d12 {

// The most tuples whose sums, which are rounded once, are computed in one dispatch.
uint64_t most_sums(const Gpu& gpu);

// Records the reduction of the plan. May wait to see whether a slice has many tuples.
Resolver reduce(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands,
                const ScatterStrategy& strategy);

}  // namespace gathernd::d3d12
