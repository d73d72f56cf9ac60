// Whether two tuples of a call address the same slice.
#pragma once

#include <cstdint>
#include <span>

namespace gathernd {

// Uses a bit per slice of the table, and one pass over the tuples. For few tuples of a large table,
// an Order is cheaper, and it tells which two they are.
bool pays_by_bits(uint64_t span, uint64_t tuples);

// Offsets below `span`, and kNoSlice.
template <class O>
bool has_repeats(std::span<const O> offsets, uint64_t span);

}  // namespace gathernd
