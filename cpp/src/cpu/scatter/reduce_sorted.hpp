// Reductions over tuples that are sorted by destination: each slice is read and written once.
#pragma once

#include "core/function_ref.hpp"
#include "cpu/order/order.hpp"
#include "gathernd/plan.hpp"

namespace gathernd {

// Whether the plan's reduction can be done in this way only: sums and products of float16 and
// bfloat16, which are accumulated in float32 and rounded once a destination.
bool needs_sorting(const Plan& plan);

// Combines the rows of all tuples into the table; the order's shift is 0. Calls ready() before
// anything is written.
template <class O>
void reduce_sorted(const Plan& plan, const Order<O>& order, FunctionRef<void()> ready,
                   std::byte* table, const std::byte* rows);

}  // namespace gathernd
