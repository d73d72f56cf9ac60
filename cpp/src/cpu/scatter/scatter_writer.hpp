// Tiles of updates written or combined by one thread, in the order in which they are listed.
#pragma once

#include <algorithm>

#include "core/reductions.hpp"
#include "cpu/common/caches.hpp"
#include "cpu/common/slices.hpp"
#include "cpu/common/tuning.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/targets.hpp"
#include "hwy/cache_control.h"

namespace gathernd {

// There is no early exit, so compilers can vectorise the loop. If both ends are equal, so are most
// often all.
template <class O>
bool all_same(const O* offsets, size_t n) {
  if (n < 2 || offsets[0] != offsets[n - 1]) return false;
  O differences = 0;
  for (size_t i = 0; i < n; ++i) differences |= offsets[i] ^ offsets[0];
  return differences == 0;
}

// Writes or combines updates, or one part of each.
template <class O>
class ScatterWriter {
 public:
  ScatterWriter(const Plan& plan, std::byte* table, const Slice& slice, bool in_order)
      : plan_(plan),
        table_(table),
        slice_(slice),
        kernels_(width_of<O>(kernels().move)),
        combine_(kernels().reduce(plan.dtype.kind, plan.reduction)),
        has_elements_(slice.chunk == plan.dtype.size && slice.size.empty() &&
                      plan.scale == table_element(plan)),
        by_word_(has_words_apart(plan, slice)),
        fetch_(fetch_of(plan, in_order)),
        streamed_(is_streamed(plan, slice)) {}

  bool combines() const { return combine_.rows != nullptr; }

  // How many of the first updates are replaced: all but the last, if all go to one slice.
  size_t count_replaced(const O* offsets, size_t n) const {
    return !combines() && all_same(offsets, n) ? n - 1 : 0;
  }

  // Update positions[i] or, without positions, i, of those that begin `stride` bytes apart, into
  // the slice at offsets[i].
  void write(const O* offsets, const uint32_t* positions, size_t n, const std::byte* rows,
             int64_t stride) const {
    const ScatterTile<O> all{table_,   plan_.scale, fetch_,
                             offsets,  positions,   n,
                             rows,     stride,      static_cast<size_t>(slice_.chunk),
                             streamed_};
    const size_t replaced = count_replaced(offsets, n);
    const ScatterTile<O> tile = all.range(replaced, n - replaced);
    if (!slice_.size.empty()) return write_chunks(tile);
    if (combines()) return combine(tile);
    kernels_.scatter(tile);
    if (streamed_) hwy::FlushStream();
  }

 private:
  // Bytes of an element of the table: sums that are rounded once go into a float32 copy.
  static int64_t table_element(const Plan& plan) {
    const bool in_floats = rounds_once(plan.dtype.kind, plan.reduction);
    return in_floats ? int64_t{sizeof(float)} : plan.dtype.size;
  }

  static bool is_streamed(const Plan& plan, const Slice& slice) {
    const Tuning& t = tuning();
    return plan.reduction == Reduction::kNone && slice.size.empty() &&
           slice.chunk >= t.stream_scatter_row && plan.tuples >= t.stream_bytes / slice.chunk &&
           !is_near(plan);
  }

  void write_chunks(const ScatterTile<O>& tile) const {
    if (by_word_) return write_words(tile);
    if (has_short_chunks(slice_, static_cast<int64_t>(tile.n))) return write_short_chunks(tile);
    for (size_t i = 0; i < tile.n; ++i) {
      std::byte* to = table_ + static_cast<int64_t>(tile.offsets[i]) * plan_.scale;
      const std::byte* from = tile.rows + static_cast<int64_t>(tile.position(i)) * tile.row_stride;
      if (!combines()) {
        copy_to_table(slice_, from, to);
        continue;
      }
      for_each_chunk(slice_, [&](int64_t table_offset, int64_t row_offset) {
        combine_.combine_run(to + table_offset, from + row_offset, tile.bytes);
      });
    }
  }

  void write_words(const ScatterTile<O>& tile) const {
    with_bits(slice_.chunk, [&]<class W>(W) {
      for (size_t i = 0; i < tile.n; ++i) {
        std::byte* to = table_ + static_cast<int64_t>(tile.offsets[i]) * plan_.scale;
        const std::byte* from =
            tile.rows + static_cast<int64_t>(tile.position(i)) * tile.row_stride;
        copy_words<W>(slice_.size[0], from, slice_.row_stride[0], to, slice_.table_stride[0]);
      }
    });
  }

  // Chunk by chunk, which keeps the order of updates, because no two chunks of a slice overlap.
  void write_short_chunks(const ScatterTile<O>& tile) const {
    for_each_short_chunk(slice_, static_cast<int64_t>(tile.n), tile.row_stride,
                         [&](int64_t to, int64_t from, int64_t first, int64_t n) {
                           ScatterTile<O> chunk =
                               tile.range(static_cast<size_t>(first), static_cast<size_t>(n));
                           chunk.table += to;
                           chunk.rows += from;
                           combines() ? combine(chunk) : kernels_.scatter(chunk);
                         });
  }

  void combine(const ScatterTile<O>& tile) const {
    if constexpr (sizeof(O) == 8) {
      combine_.combine(tile);
    } else {
      if (has_elements_ && (tile.row_stride == slice_.chunk || tile.row_stride == 0)) {
        return (all_same(tile.offsets, tile.n) ? combine_.repeated : combine_.elements)(tile);
      }
      combine_widened(tile);
    }
  }

  // The kernels of rows take only wide offsets. Like move_some(), it is not inlined, to save stack.
  HWY_NOINLINE void combine_widened(const ScatterTile<O>& tile) const {
    constexpr auto kMost = static_cast<size_t>(kBlock<uint64_t>);
    uint64_t offsets[kMost];
    for (size_t first = 0; first < tile.n; first += kMost) {
      const ScatterTile<O> part = tile.range(first, std::min(kMost, tile.n - first));
      std::copy_n(part.offsets, part.n, offsets);
      combine_.combine({part.table, part.scale, part.fetch, offsets, part.positions, part.n,
                        part.rows, part.row_stride, part.bytes});
    }
  }

  const Plan& plan_;
  std::byte* table_;
  Slice slice_;
  const KernelsOf<O>& kernels_;
  ReduceKernels combine_;  // null for plain writes
  bool has_elements_;      // each slice is one element, and the table has no gaps
  bool by_word_;
  Fetch fetch_;
  bool streamed_;
};

}  // namespace gathernd
