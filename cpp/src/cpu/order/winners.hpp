// The tuples that stay of a set: the last one of each slice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "cpu/order/order.hpp"
#include "runtime/buffer.hpp"

namespace gathernd {

template <class O>
class Winners {
 public:
  // Offsets below `span`, and kNoSlice.
  Winners(std::span<const O> offsets, uint64_t span)
      : span_(static_cast<size_t>(span)), slices_(span_), positions_(span_) {
    O* const last = positions_.data();
    std::fill_n(last, span_, kNoSlice<O>);
    for (size_t t = 0; t < offsets.size(); ++t) {
      if (offsets[t] != kNoSlice<O>) last[offsets[t]] = static_cast<O>(t);
    }
    for (size_t slice = 0; slice < span_; ++slice) {
      slices_.data()[n_] = static_cast<O>(slice);
      last[n_] = last[slice];
      n_ += last[n_] != kNoSlice<O>;
    }
  }

  // In the order of their slices.
  OrderedTuples<O> tuples() const { return {slices_.data(), positions_.data(), n_}; }

  size_t bytes() const { return 2 * span_ * sizeof(O); }

 private:
  size_t span_, n_ = 0;
  Buffer<O> slices_, positions_;
};

}  // namespace gathernd
