// Tuples grouped by the slices that they address, range by range of the call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
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

// Returns the offsets of the tuples [first, first + n), in `room` or elsewhere, or null to stop.
// n <= kBlock<O>.
template <class O>
using RangeOffsets = FunctionRef<const O*(int64_t first, int64_t n, O* room)>;

// Each thread groups a range in its own cache, so the tuples are read once. (An Order, whose groups
// are whole, needs two more passes.) A group is 2^shift neighbouring offsets, all below `span`;
// tuples that address no slice are left out. T is what is kept of a tuple in addition to its
// offset.
template <class O, class T>
class RangeGroups {
 public:
  struct Tuple {
    O offset;
    T kept;
  };

  // `of(t)`: what is kept of tuple t. If the offsets of any range were null, the groups must not be
  // used.
  template <class F>
  RangeGroups(int64_t tuples, RangeOffsets<O> offsets_of, uint64_t span, int shift, bool backwards,
              F of)
      : tuples_(tuples),
        groups_(static_cast<int64_t>((span - 1) >> shift) + 1),
        range_(std::clamp(tuples_ / (kRangesPerThread * num_threads()), tuning().group_range_least,
                          kBlock<O>)),
        ranges_((tuples_ + range_ - 1) / range_),
        backwards_(backwards),
        begins_(static_cast<size_t>((groups_ + 1) * ranges_)),
        grouped_(static_cast<size_t>(tuples)) {
    parallel_parts(ranges_, [&](int64_t range) {
      O room[kBlock<O>];
      const int64_t first = range * range_;
      const O* const from = offsets_of(first, std::min(range_, tuples_ - first), room);
      if (from != nullptr) group_range(from, range, shift, of);
    });
  }

  int64_t groups() const { return groups_; }

  // Calls f with the tuples of a group, range by range, in C order or backwards. Some have none.
  template <class F>
  void for_each_range(int64_t group, F f) const {
    const auto find = [&](int64_t i) {
      const int64_t range = backwards_ ? ranges_ - 1 - i : i;
      const uint32_t* const begins = begins_of(range);
      return std::span(grouped_.data() + range * range_ + begins[group],
                       begins[group + 1] - begins[group]);
    };
    for (int64_t range = 0; range < ranges_; ++range) hwy::Prefetch(begins_of(range) + group);
    constexpr int64_t kAhead = 2;
    for (int64_t i = 0; i < std::min(ranges_, kAhead); ++i) fetch(find(i));
    for (int64_t i = 0; i < ranges_; ++i) {
      if (i + kAhead < ranges_) fetch(find(i + kAhead));
      f(find(i));
    }
  }

 private:
  // Each run lies somewhere else, often in the cache of another core.
  static void fetch(std::span<const Tuple> run) { prefetch_for_reading(run.data(), run.size()); }

  uint32_t* begins_of(int64_t range) { return begins_.data() + range * (groups_ + 1); }
  const uint32_t* begins_of(int64_t range) const { return begins_.data() + range * (groups_ + 1); }

  // The rank of each tuple within its group is found first. Were places counted up by the loop that
  // stores the tuples, each count would wait for the stores before it, which might have changed it.
  template <class F>
  void group_range(const O* from, int64_t range, int shift, F of) {
    const int64_t first = range * range_;
    const int64_t n = std::min(range_, tuples_ - first);
    const auto none = static_cast<O>(groups_);
    const auto group_of = [=](int64_t t) {
      return from[t] == kNoSlice<O> ? none : static_cast<O>(from[t] >> shift);
    };
    uint32_t* const begins = begins_of(range);
    Tuple* const to = grouped_.data() + first;
    static_assert(kBlock<O> <= UINT16_MAX);
    uint16_t ranks[kBlock<O>];
    // Without this, stores all over the range wait for each cache line that another core holds.
    constexpr int64_t kStep = 64;
    for (int64_t i = 0; i < n; i += kStep) {
      const int64_t end = std::min(n, i + kStep);
      prefetch_for_writing(to + i, static_cast<size_t>(end - i));
      for (int64_t k = i; k < end; ++k) {
        const int64_t t = backwards_ ? n - 1 - k : k;
        ranks[t] = static_cast<uint16_t>(begins[group_of(t)]++);
      }
    }
    uint32_t begin = 0;
    for (int64_t group = 0; group <= groups_; ++group) {
      begin += std::exchange(begins[group], begin);
    }
    for (int64_t t = 0; t < n; ++t) {
      to[begins[group_of(t)] + ranks[t]] = {from[t], of(first + t)};
    }
  }

  int64_t tuples_, groups_, range_, ranges_;
  bool backwards_;
  // Of each group in each range, and of the tuples that address no slice: they come last.
  std::vector<uint32_t> begins_;
  Buffer<Tuple> grouped_;
};

}  // namespace gathernd
