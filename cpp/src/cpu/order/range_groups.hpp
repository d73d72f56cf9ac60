// Tuples grouped by the slices that they address, range by range of the call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cpu/common/tuning.hpp"
#include "cpu/kernels/kernels.hpp"
#include "runtime/buffer.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/settings.hpp"

namespace gathernd {

// A thread groups a range in its own cache, so that all together go through the tuples once; for an
// Order, whose groups are whole, they do so twice more. A group is 2^shift neighbouring offsets,
// all below `span`; tuples that address no slice are left out. T is what is kept of a tuple beside
// its offset.
template <class O, class T>
class RangeGroups {
 public:
  // `of(t, first)`: what is kept of tuple t, whose range begins with tuple `first`.
  template <class F>
  RangeGroups(std::span<const O> offsets, uint64_t span, int shift, bool backwards, F of)
      : tuples_(static_cast<int64_t>(offsets.size())),
        groups_(static_cast<int64_t>((span - 1) >> shift) + 1),
        range_(std::clamp(tuples_ / (4 * num_threads()), tuning().group_range_least,
                          tuning().group_range_most)),
        ranges_((tuples_ + range_ - 1) / range_),
        backwards_(backwards),
        ends_(static_cast<size_t>(groups_ * ranges_)),
        offsets_(offsets.size()),
        kept_(offsets.size()) {
    parallel_parts(ranges_, [&](int64_t range) { group_range(offsets, range, shift, of); });
  }

  int64_t groups() const { return groups_; }

  // Calls f(first, offsets, kept, n) for the tuples of a group, in C order or backwards; n may be
  // 0.
  template <class F>
  void for_each_range(int64_t group, F f) const {
    for (int64_t i = 0; i < ranges_; ++i) {
      const int64_t range = backwards_ ? ranges_ - 1 - i : i;
      const uint32_t* ends = ends_of(range);
      const uint32_t begin = group == 0 ? 0 : ends[group - 1];
      const auto at = static_cast<size_t>(range * range_) + begin;
      f(range * range_, offsets_.data() + at, kept_.data() + at, size_t{ends[group] - begin});
    }
  }

 private:
  const uint32_t* ends_of(int64_t range) const { return ends_.data() + range * groups_; }

  template <class F>
  void group_range(std::span<const O> offsets, int64_t range, int shift, F of) {
    const int64_t first = range * range_;
    const int64_t n = std::min(range_, tuples_ - first);
    const O* const from = offsets.data() + first;
    uint32_t* const ends = ends_.data() + range * groups_;
    for (int64_t t = 0; t < n; ++t) {
      if (from[t] != kNoSlice<O>) ++ends[from[t] >> shift];
    }
    uint32_t begin = 0;
    for (int64_t group = 0; group < groups_; ++group) begin += std::exchange(ends[group], begin);
    O* const to = offsets_.data() + first;
    T* const kept = kept_.data() + first;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t t = backwards_ ? n - 1 - i : i;
      const O offset = from[t];
      if (offset == kNoSlice<O>) continue;
      const uint32_t at = ends[offset >> shift]++;
      to[at] = offset;
      kept[at] = of(first + t, first);
    }
  }

  int64_t tuples_, groups_, range_, ranges_;
  bool backwards_;
  std::vector<uint32_t> ends_;  // of each group in each range
  Buffer<O> offsets_;
  Buffer<T> kept_;
};

}  // namespace gathernd
