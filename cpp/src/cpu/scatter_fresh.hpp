// Scatters into a new array, which nobody sees before every tuple is known to be good.
#pragma once

#include "gathernd/plan.hpp"
#include "gathernd/tensor.hpp"

namespace gathernd {

// Whether some tuples had better be written while others are resolved. Many threads group all
// tuples before they write, long slices are cut for threads, and the first of several updates is
// the last that is written.
bool overlaps_resolving(const Plan& plan);

// As scatter(), where the output is not the input and may change before a throw.
template <class O>
void scatter_fresh(const Plan& plan, const Tensor& input, const Tensor& indices,
                   const Tensor& updates, const Tensor& output);

}  // namespace gathernd
