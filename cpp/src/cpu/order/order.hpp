// The tuples of a call, grouped by the slices that they address.
#pragma once

#include <cstdint>
#include <span>

#include "cpu/kernels/kernels.hpp"
#include "runtime/buffer.hpp"

namespace gathernd {

// Tuples one after the other: the slice that each addresses, and where in the call it stands.
template <class O>
struct OrderedTuples {
  const O* offsets;
  const O* positions;
  size_t n;

  OrderedTuples range(size_t begin, size_t count) const {
    return {offsets + begin, positions + begin, count};
  }
};

// Groups of 2^shift neighbouring offsets follow each other; the tuples of a group stand in C order.
// Tuples that address no slice are left out, all others address one below `span`. Shift 0 makes
// each slice a group of its own.
template <class O>
class Order {
 public:
  Order(std::span<const O> offsets, uint64_t span, int shift);

  OrderedTuples<O> tuples() const { return {offsets_.data(), positions_.data(), n_}; }

  // Those of part `part` of `parts`: whole groups, and about as many tuples in each part.
  OrderedTuples<O> part(int64_t part, int64_t parts) const;

  bool is_unique() const;  // no slice is addressed twice
  size_t bytes() const { return 2 * capacity_ * sizeof(O); }

 private:
  size_t begin_of(int64_t part, int64_t parts) const;

  int shift_;
  size_t capacity_, n_ = 0;
  Buffer<O> offsets_, positions_;
};

// ranks[t]: where in the order tuple t of the call stands, or kNoSlice if it addresses no slice.
template <class O>
void find_ranks(const Order<O>& order, std::span<O> ranks);

// Two tuples that address one slice, such that `second` is the first position that repeats any;
// false where every tuple addresses another slice. The order's shift is 0.
template <class O>
bool find_duplicate(const Order<O>& order, int64_t* first, int64_t* second);

}  // namespace gathernd
