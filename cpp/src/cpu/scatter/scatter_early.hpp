// Scatters that write some tuples while others are resolved.
#pragma once

#include "core/function_ref.hpp"
#include "gathernd/plan.hpp"
#include "gathernd/tensor.hpp"

namespace gathernd {

// Whether to do so is worth it. Many threads group all tuples before they write, long slices are
// cut for threads, and the first of several updates is the last that is written.
bool overlaps_resolving(const Plan& plan);

// Where may_write_early(). `ready`: what comes before the first write.
template <class O>
void scatter_early(const Plan& plan, const Indices& indices, FunctionRef<void()> ready,
                   std::byte* table, const std::byte* rows);

}  // namespace gathernd
