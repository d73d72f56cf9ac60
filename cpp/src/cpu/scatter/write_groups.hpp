// Updates written group by group of the slices that they address, which the threads share. Rows of
// a word are packed in the order of the groups before: each group would fetch most cache lines of
// them.
#pragma once

#include <cstring>
#include <span>

#include "core/function_ref.hpp"
#include "cpu/common/slices.hpp"
#include "cpu/kernels/words.hpp"
#include "cpu/order/range_groups.hpp"
#include "cpu/order/run_parts.hpp"
#include "cpu/scatter/scatter_mover.hpp"
#include "runtime/buffer.hpp"
#include "runtime/settings.hpp"

namespace gathernd {

// The row of tuple t, where has_word_rows.
template <class T>
T load_word(const Plan& plan, const std::byte* rows, int64_t t) {
  T word;
  std::memcpy(&word, rows + t * plan.row_walk.stride[0], sizeof word);
  return word;
}

// Each thread groups some of the tuples, then writes some of the groups; short rows go along.
template <class O>
void write_groups(const Plan& plan, const O* offsets, int shift, FunctionRef<void()> ready,
                  const ScatterMover<O>& mover, const std::byte* rows) {
  const std::span<const O> all(offsets, static_cast<size_t>(plan.tuples));
  const bool backwards = plan.duplicates == Duplicates::kFirst;
  const auto write = [&](const auto& groups, auto move) {
    ready();
    run_parts(plan, groups.groups(), [&](int64_t group) { groups.for_each_range(group, move); });
  };
  if (has_word_rows(plan)) {
    return with_bits(plan.slice.bytes, [&]<class T>(T) {
      const auto word = [&](int64_t t, int64_t) { return load_word<T>(plan, rows, t); };
      const RangeGroups<O, T> groups(all, plan.span, shift, backwards, word);
      write(groups, [&](int64_t, const O* at, const T* words, size_t n) {
        mover.move_packed(at, reinterpret_cast<const std::byte*>(words), n);
      });
    });
  }
  const RangeGroups<O, uint32_t> groups(
      all, plan.span, shift, backwards,
      [](int64_t t, int64_t first) { return static_cast<uint32_t>(t - first); });
  write(groups, [&](int64_t first, const O* at, const uint32_t* places, size_t n) {
    mover.move_listed(first, at, places, n);
  });
}

// The same for tuples whose places in an order are known.
template <class O>
void write_packed(const Plan& plan, const KnownTuples<O>& tuples, FunctionRef<void()> ready,
                  const ScatterMover<O>& mover, const std::byte* rows) {
  with_bits(plan.slice.bytes, [&]<class T>(T) {
    const OrderedTuples<O> all = tuples.order->tuples();
    const Buffer<T> packed(all.n);
    const auto pack = [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const O place = tuples.places[t];
        if (place != kNoSlice<O>) packed.data()[place] = load_word<T>(plan, rows, t);
      }
    };
    parallel_for(plan.tuples, grain_for(3 * sizeof(T)), 1, pack);
    ready();
    const int64_t parts = count_ranges_of(plan);
    run_parts(plan, parts, [&](int64_t p) {
      const OrderedTuples<O> part = tuples.order->part(p, parts);
      const T* words = packed.data() + (part.offsets - all.offsets);
      mover.move_packed(part.offsets, reinterpret_cast<const std::byte*>(words), part.n);
    });
  });
}

}  // namespace gathernd
