// The stage "reduce" on the device: updates combined into the table, in C order for each element.
#pragma once

#include "resolve.hpp"

namespace gathernd::d3d12 {

// Records the whole reduction of the plan; waits between the dispatches of long runs.
Resolver reduce(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands);

}  // namespace gathernd::d3d12
