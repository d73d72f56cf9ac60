// Tuples grouped by the slices that they address, range by range of the call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/function_ref.hpp"
#include "cpu/common/tuning.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/prefetch.hpp"
#include "runtime/buffer.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/settings.hpp"

namespace gathernd {

// The most tuples that a thread groups at once: their offsets are on its stack.
template <class O>
inline constexpr int64_t kMostGrouped = (int64_t{1} << 15) / sizeof(O);

// Returns the offsets of the tuples [first, first + n), in `room` or elsewhere, or null to stop.
// n <= kMostGrouped<O>.
template <class O>
using RangeOffsets = FunctionRef<const O*(int64_t first, int64_t n, O* room)>;

// Each thread groups a range in its own cache, so the tuples are read once. (An Order, whose groups
// are whole, needs two more passes.) A group is 2^shift neighbouring offsets, all below `span`;
// tuples that address no slice are left out. T is what is kept of a tuple in addition to its
// offset.
template <class O, class T>
class RangeGroups {
 public:
  // `of(t)`: what is kept of tuple t. If the offsets of any range were null, the groups must not be
  // used.
  template <class F>
  RangeGroups(int64_t tuples, RangeOffsets<O> offsets_of, uint64_t span, int shift, bool backwards,
              F of)
      : tuples_(tuples),
        groups_(static_cast<int64_t>((span - 1) >> shift) + 1),
        range_(std::clamp(tuples_ / (kRangesPerThread * num_threads()), tuning().group_range_least,
                          kMostGrouped<O>)),
        ranges_((tuples_ + range_ - 1) / range_),
        backwards_(backwards),
        ends_(static_cast<size_t>(groups_ * ranges_)),
        offsets_(static_cast<size_t>(tuples)),
        kept_(static_cast<size_t>(tuples)) {
    parallel_parts(ranges_, [&](int64_t range) {
      O room[kMostGrouped<O>];
      const int64_t first = range * range_;
      const O* const from = offsets_of(first, std::min(range_, tuples_ - first), room);
      if (from != nullptr) group_range(from, range, shift, of);
    });
  }

  int64_t groups() const { return groups_; }

  // Calls f(offsets, kept, n) for the tuples of a group, in C order or backwards; n may be 0.
  template <class F>
  void for_each_range(int64_t group, F f) const {
    const auto find = [&](int64_t i) {
      const int64_t range = backwards_ ? ranges_ - 1 - i : i;
      const uint32_t* ends = ends_of(range);
      const uint32_t begin = group == 0 ? 0 : ends[group - 1];
      return Run{range * range_, begin, ends[group] - begin};
    };
    for (int64_t range = 0; range < ranges_; ++range) hwy::Prefetch(ends_of(range) + group);
    constexpr int64_t kAhead = 2;
    for (int64_t i = 0; i < std::min(ranges_, kAhead); ++i) fetch(find(i));
    for (int64_t i = 0; i < ranges_; ++i) {
      if (i + kAhead < ranges_) fetch(find(i + kAhead));
      const Run run = find(i);
      f(offsets_.data() + run.at(), kept_.data() + run.at(), run.n);
    }
  }

 private:
  // The tuples of a group in the range that begins with tuple `first`.
  struct Run {
    int64_t first = 0;
    uint32_t begin = 0;
    size_t n = 0;

    size_t at() const { return static_cast<size_t>(first) + begin; }
  };

  // Each run lies somewhere else, often in the cache of another core.
  void fetch(const Run& run) const {
    prefetch_for_reading(offsets_.data() + run.at(), run.n);
    prefetch_for_reading(kept_.data() + run.at(), run.n);
  }

  const uint32_t* ends_of(int64_t range) const { return ends_.data() + range * groups_; }

  template <class F>
  void group_range(const O* from, int64_t range, int shift, F of) {
    const int64_t first = range * range_;
    const int64_t n = std::min(range_, tuples_ - first);
    uint32_t* const ends = ends_.data() + range * groups_;
    O* const to = offsets_.data() + first;
    T* const kept = kept_.data() + first;
    // Without this, stores all over the range wait for each cache line that another core holds.
    constexpr int64_t kStep = 64;
    for (int64_t t = 0; t < n; t += kStep) {
      const int64_t end = std::min(n, t + kStep);
      prefetch_for_writing(to + t, static_cast<size_t>(end - t));
      prefetch_for_writing(kept + t, static_cast<size_t>(end - t));
      for (int64_t i = t; i < end; ++i) {
        if (from[i] != kNoSlice<O>) ++ends[from[i] >> shift];
      }
    }
    uint32_t begin = 0;
    for (int64_t group = 0; group < groups_; ++group) begin += std::exchange(ends[group], begin);
    const auto place = [&](int64_t t) {
      const O offset = from[t];
      if (offset == kNoSlice<O>) return;
      const uint32_t at = ends[offset >> shift]++;
      to[at] = offset;
      kept[at] = of(first + t);
    };
    if (backwards_) {
      for (int64_t t = n; t-- > 0;) place(t);
    } else {
      for (int64_t t = 0; t < n; ++t) place(t);
    }
  }

  int64_t tuples_, groups_, range_, ranges_;
  bool backwards_;
  std::vector<uint32_t> ends_;  // of each group in each range
  Buffer<O> offsets_;
  Buffer<T> kept_;
};

}  // namespace gathernd
