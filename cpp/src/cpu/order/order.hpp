// The tuples of a call, grouped by the slices that they address.
#pragma once

#include <cstdint>
#include <span>

#include "cpu/kernels/kernels.hpp"
#include "runtime/buffer.hpp"

namespace gathernd {

// A sequence of tuples: the slice that each addresses, and its position in the call.
template <class O>
struct OrderedTuples {
  const O* offsets;
  const O* positions;
  size_t n;

  OrderedTuples range(size_t begin, size_t count) const {
    return {offsets + begin, positions + begin, count};
  }
};

// The tuples by groups of 2^shift neighbouring offsets, in ascending order; within a group, in C
// order. Tuples that address no slice are left out; all others address one below `span`. With shift
// 0, each slice is a group of its own.
template <class O>
class Order {
 public:
  Order(std::span<const O> offsets, uint64_t span, int shift);

  OrderedTuples<O> tuples() const { return {offsets_.data(), positions_.data(), n_}; }

  // The tuples of part `part` of `parts`: whole groups, with about as many tuples in each part.
  OrderedTuples<O> part(int64_t part, int64_t parts) const;

  bool is_unique() const;  // no slice is addressed twice
  size_t bytes() const { return 2 * capacity_ * sizeof(O); }

 private:
  size_t begin_of(int64_t part, int64_t parts) const;

  int shift_;
  size_t capacity_, n_ = 0;
  Buffer<O> offsets_, positions_;
};

// ranks[t]: the place of the call's tuple t in the order, or kNoSlice if it addresses no slice.
template <class O>
void find_ranks(const Order<O>& order, std::span<O> ranks);

// Finds two tuples that address the same slice, where `second` is the first position that repeats
// an earlier one. Returns false if there are none. The order's shift must be 0.
template <class O>
bool find_duplicate(const Order<O>& order, int64_t* first, int64_t* second);

}  // namespace gathernd
