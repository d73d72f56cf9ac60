// Scatters of few tuples in one dispatch: each group looks at all of them, and writes the rows of
// some.
#pragma once

#include <cstdint>
#include <memory>

#include "d3d12/operators/scatter_run.hpp"

namespace gathernd::d3d12 {

// Whether there is a shader for the call: for sets, and for sums of floats of up to 32 bits.
bool has_few(const Plan& plan, const Geometry& geometry);

std::unique_ptr<ScatterRun> by_few(const ScatterCall& call);

}  // namespace gathernd::d3d12
