// The stage "reduce" on the device: updates combined into the table, in C order for each element.
#pragma once

#include <cstdint>
#include <memory>

#include "d3d12/operators/scatter_run.hpp"

namespace gathernd::d3d12 {

// The most tuples whose sums, which are rounded once, are computed in one dispatch.
uint64_t most_sums(const Gpu& gpu);

// For a plan that reduces. Its record() may wait to see whether a slice has many
// tuples.
std::unique_ptr<ScatterRun> by_order(const ScatterCall& call);

}  // namespace gathernd::d3d12
