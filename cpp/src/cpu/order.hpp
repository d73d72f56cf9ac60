// The tuples of a call, grouped by the slice that they address.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cpu/kernels.hpp"

namespace gathernd {

// The tuples that address a slice, by offset; those of one slice in C order. A stable radix sort.
template <class O>
std::vector<Destination<O>> sort_by_destination(const O* offsets, int64_t n);

// Two tuples that address one slice, such that `second` is the first position that repeats any;
// false where every tuple addresses another slice.
template <class O>
bool find_duplicate(std::span<const Destination<O>> sorted, int64_t* first, int64_t* second);

}  // namespace gathernd
