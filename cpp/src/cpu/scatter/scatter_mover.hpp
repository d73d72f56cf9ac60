// Updates written or combined by one thread, in C order.
#pragma once

#include <algorithm>

#include "core/layout.hpp"
#include "cpu/common/slices.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/targets.hpp"
#include "cpu/kernels/words.hpp"
#include "cpu/order/order.hpp"
#include "cpu/scatter/scatter_writer.hpp"

namespace gathernd {

// Calls f(first, count) for the blocks of n tuples, the last block first if they go backwards.
template <class O, class F>
void for_each_tuple_block(int64_t n, bool backwards, F f) {
  const int64_t blocks = (n + kBlock<O> - 1) / kBlock<O>;
  for (int64_t i = 0; i < blocks; ++i) {
    const int64_t at = (backwards ? blocks - 1 - i : i) * kBlock<O>;
    f(at, std::min(kBlock<O>, n - at));
  }
}

// Writes or combines updates, or one part of each, in C order. For duplicates="first" it goes
// backwards, so that the first update stays. `in_order`: most calls are for consecutive updates.
template <class O>
class ScatterMover {
 public:
  ScatterMover(const Plan& plan, std::byte* table, const std::byte* rows, const SlicePart& part,
               bool in_order = true)
      : plan_(plan),
        rows_(rows + part.row_offset),
        chunk_(part.slice.chunk),
        kernels_(width_of<O>(kernels().move)),
        writer_(plan, table + plan.bias + part.table_offset, part.slice, in_order),
        backwards_(plan.duplicates == Duplicates::kFirst),
        has_words_(has_word_rows(plan, part.slice) && plan.row_walk.stride[0] == chunk_ &&
                   !backwards_) {}

  // Moves those of the tuples [first, first + n) whose offsets are in [low, high).
  void move(int64_t first, int64_t n, const O* offsets, O low, O high) const {
    if (low == high) return;
    for_each_tuple_block<O>(n, backwards_, [&](int64_t at, int64_t count) {
      move_block(first + at, offsets + at, count, low, high);
    });
  }

  // Tuples of an Order whose positions are below 2^32.
  void move(const OrderedTuples<O>& tuples) const {
    if constexpr (sizeof(O) == 4) {
      if (!backwards_) return move_listed(0, tuples.offsets, tuples.positions, tuples.n);
    }
    for_each_block(tuples.n, [&](size_t i, size_t n) {
      O offsets[kBlock<O>];
      uint32_t positions[kBlock<O>];
      for (size_t t = 0; t < n; ++t) {
        const size_t from = backwards_ ? tuples.n - 1 - i - t : i + t;
        offsets[t] = tuples.offsets[from];
        positions[t] = static_cast<uint32_t>(tuples.positions[from]);
      }
      move_kept(0, offsets, positions, n);
    });
  }

  // Tuples as they are listed: positions[i] counts from `first`.
  void move_listed(int64_t first, const O* offsets, const uint32_t* positions, size_t n) const {
    for_each_block(
        n, [&](size_t i, size_t count) { move_kept(first, offsets + i, positions + i, count); });
  }

  // Updates as they are listed, one after the other in memory; their slices are one run of bytes.
  void move_packed(const O* offsets, const std::byte* rows, size_t n) const {
    for_each_block(n, [&](size_t i, size_t count) {
      const std::byte* first = rows + i * static_cast<size_t>(chunk_);
      writer_.write(offsets + i, nullptr, count, first, chunk_);
    });
  }

  // As the first, for one block: `offsets` are those of the tuples [first, first + n).
  void move_block(int64_t first, const O* offsets, int64_t n, O low, O high) const {
    const bool all = low == 0 && high == plan_.span && plan_.mode != Mode::kDrop && !backwards_;
    if (all) return move_kept(first, offsets, nullptr, static_cast<size_t>(n));
    if (has_words_) return move_some_words(first, offsets, n, low, high);
    move_some(first, offsets, n, low, high);
  }

 private:
  template <class F>
  static void for_each_block(size_t n, F f) {
    constexpr auto kMost = static_cast<size_t>(kBlock<O>);
    for (size_t i = 0; i < n; i += kMost) f(i, std::min(kMost, n - i));
  }

  // The words are compressed along with their offsets, which is faster than finding each by its
  // position.
  HWY_NOINLINE void move_some_words(int64_t first, const O* offsets, int64_t n, O low,
                                    O high) const {
    constexpr size_t kMostBytes = 8;  // of a word
    // Aligned, because a vector of which nothing is kept is stored at the beginning all the same.
    // If that lay on two pages, each such store would be slow.
    alignas(64) O kept[kBlock<O>];
    alignas(64) std::byte words[kMostBytes * kBlock<O>];
    const size_t count =
        kernels_.partition_words(offsets, static_cast<size_t>(n), low, high, rows_ + first * chunk_,
                                 static_cast<size_t>(chunk_), kept, words);
    writer_.write(kept, nullptr, count, words, chunk_);
  }

  HWY_NOINLINE void move_some(int64_t first, const O* offsets, int64_t n, O low, O high) const {
    alignas(64) O kept[kBlock<O>];
    alignas(64) uint32_t positions[kBlock<O>];
    const size_t count =
        kernels_.partition(offsets, static_cast<size_t>(n), low, high, kept, positions);
    if (backwards_) {
      std::reverse(kept, kept + count);
      std::reverse(positions, positions + count);
    }
    move_kept(first, kept, positions, count);
  }

  // Tuples first + positions[i] or, without positions, those from `first` on.
  void move_kept(int64_t first, const O* offsets, const uint32_t* positions, size_t n) const {
    const Walk& walk = plan_.row_walk;
    if (walk.size.size() <= 1) {
      const int64_t stride = walk.size.empty() ? 0 : walk.stride[0];
      return writer_.write(offsets, positions, n, rows_ + first * stride, stride);
    }
    for (size_t i = writer_.count_replaced(offsets, n); i < n; ++i) {
      const int64_t t = first + static_cast<int64_t>(positions == nullptr ? i : positions[i]);
      writer_.write(offsets + i, nullptr, 1, rows_ + offset_at(walk, t), 0);
    }
  }

  const Plan& plan_;
  const std::byte* rows_;
  int64_t chunk_;
  const KernelsOf<O>& kernels_;
  ScatterWriter<O> writer_;
  bool backwards_, has_words_;
};

}  // namespace gathernd
