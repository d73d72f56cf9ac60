// float16 and bfloat16 sums and products: accumulated in float32, rounded once a destination.
#pragma once

#include "gathernd/plan.hpp"

namespace gathernd {

// Whether the plan's reduction is one of these.
bool accumulates_in_float(const Plan& plan);

// Combines all updates into the table; offsets as resolve_all left them.
template <class O>
void reduce_half(const Plan& plan, const O* offsets, std::byte* table, const std::byte* rows);

}  // namespace gathernd
