// Scatters whose result does not depend on the order of the updates, by a device's atomics. They
// write directly to the table; other scatters first find each row's tuples.
#pragma once

#include <memory>

#include "d3d12/operators/scatter_run.hpp"

namespace gathernd::d3d12 {

std::unique_ptr<ScatterRun> by_atomics(const ScatterCall& call);

}  // namespace gathernd::d3d12
