// The tuples of a call, grouped by the slices that they address.
#pragma once

#include <cstdint>
#include <span>

#include "cpu/buffer.hpp"
#include "cpu/kernels.hpp"

namespace gathernd {

// Groups of 2^shift neighbouring offsets follow each other; the tuples of a group stand in C order.
// Tuples that address no slice are left out. Shift 0 makes each slice a group of its own.
template <class O>
class Order {
 public:
  Order(std::span<const O> offsets, int shift);

  std::span<const Destination<O>> tuples() const { return {tuples_.data(), n_}; }

  // Those of part `part` of `parts`: whole groups, and about as many tuples in each part.
  std::span<const Destination<O>> part(int64_t part, int64_t parts) const;

  bool is_unique() const;  // no slice is addressed twice
  size_t bytes() const { return capacity_ * sizeof(Destination<O>); }

 private:
  size_t begin_of(int64_t part, int64_t parts) const;

  int shift_;
  size_t capacity_, n_ = 0;
  Buffer<Destination<O>> tuples_;
};

// Two tuples that address one slice, such that `second` is the first position that repeats any;
// false where every tuple addresses another slice. The order's shift is 0.
template <class O>
bool find_duplicate(const Order<O>& order, int64_t* first, int64_t* second);

}  // namespace gathernd
