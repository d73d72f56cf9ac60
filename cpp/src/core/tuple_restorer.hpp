// From the slices that a plan's tuples address back to the tuples.
#pragma once

#include <cstdint>
#include <span>

#include "core/layout.hpp"
#include "gathernd/plan.hpp"

namespace gathernd {

class TupleRestorer {
 public:
  explicit TupleRestorer(const Plan& plan) : depth_(plan.depth) {
    Dims strides = c_strides(plan.positions, 1);
    for (int i = 0; i < strides.size(); ++i) {
      if (plan.positions[i] != plan.given_positions[i]) strides[i] = 0;
    }
    walk_ = make_walk(plan.given_positions, strides);
    for (int i = 0; i < plan.batch_dims; ++i) sizes_.push_back(plan.given_positions[i]);
    sizes_.append(plan.dims);
  }

  int depth() const { return depth_; }
  // The dimensions that number the slices: the batch, then those that are indexed.
  std::span<const int64_t> sizes() const { return {sizes_.begin(), sizes_.end()}; }

  static constexpr uint64_t kNoSlice = UINT64_MAX;

  // Writes the tuples of the given positions [begin, end), with indices from 0 up. slice(t): the
  // number, in C order, of the slice that tuple t of the plan's positions addresses. A tuple of
  // kNoSlice becomes the sizes of the indexed dimensions.
  template <class Slice>
  void restore(int64_t begin, int64_t end, Slice slice, int64_t* to) const {
    for_each_run(walk_, begin, end - begin, [&](int64_t at, int64_t step, int64_t count) {
      for (int64_t t = 0; t < count; ++t, to += depth_) write(slice(at + t * step), to);
    });
  }

 private:
  void write(uint64_t slice, int64_t* to) const {
    for (int i = sizes_.size() - 1, k = depth_ - 1; k >= 0; --i, --k) {
      const auto size = static_cast<uint64_t>(sizes_[i]);
      to[k] = static_cast<int64_t>(slice == kNoSlice ? size : slice % size);
      if (slice != kNoSlice) slice /= size;
    }
  }

  int depth_;
  Dims sizes_;
  Walk walk_;  // from given positions to the plan's
};

}  // namespace gathernd
