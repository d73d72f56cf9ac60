// Whether two tuples of a call address one slice.
#pragma once

#include <cstdint>
#include <span>

namespace gathernd {

// A bit for each slice of the table, in one pass over the tuples: for few tuples of a large table
// an Order is cheaper, and it tells which two they are.
bool pays_by_bits(uint64_t span, uint64_t tuples);

// Offsets below `span`, and kNoSlice.
template <class O>
bool has_repeats(std::span<const O> offsets, uint64_t span);

}  // namespace gathernd
