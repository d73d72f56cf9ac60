// Which thread writes what.
#pragma once

#include "core/function_ref.hpp"
#include "cpu/scatter/scatter.hpp"

namespace gathernd {

// No two threads write one byte: each has its own part of every slice where slices are long, else
// its own part of the table, of which it takes the tuples in order. Calls ready() before anything
// is written.
template <class O>
void write_parts(const Plan& plan, const KnownTuples<O>& tuples, FunctionRef<void()> ready,
                 std::byte* table, const std::byte* rows);

// From so many parts on the tuples are grouped: that each part goes through all takes too long.
int64_t many_parts();

}  // namespace gathernd
