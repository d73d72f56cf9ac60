// The stage "reduce" on the device: updates combined into the table, in C order for each element.
#pragma once

#include "d3d12/operators/resolve.hpp"

namespace gathernd::d3d12 {

// Records the reduction of the plan. May wait to see whether a slice has many tuples.
Resolver reduce(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands);

}  // namespace gathernd::d3d12
