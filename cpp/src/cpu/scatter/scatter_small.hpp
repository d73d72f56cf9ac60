// Many tuples into a small table: the threads share the tuples, and each has a small table of its
// own.
#pragma once

#include <cstddef>

#include "core/function_ref.hpp"
#include "gathernd/plan.hpp"

namespace gathernd {

// The offsets of the tuples [first, first + n), n <= kTile, in `room` or elsewhere; null to stop.
template <class O>
using OffsetsOf = FunctionRef<const O*(int64_t first, int64_t n, O* room)>;

// How many threads' tables are worth their cost; 0: write the table itself.
int64_t count_small_tables(const Plan& plan);

// Writes or combines all updates. Before anything is written, ready() is called once, and may
// throw.
template <class O>
void scatter_small(const Plan& plan, int64_t tables, OffsetsOf<O> offsets_of,
                   FunctionRef<void()> ready, std::byte* table, const std::byte* rows);

}  // namespace gathernd
