// Updates written or combined by one thread, in C order.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>

#include "cpu/kernels.hpp"
#include "cpu/order.hpp"
#include "cpu/settings.hpp"
#include "cpu/slices.hpp"
#include "hwy/cache_control.h"
#include "layout.hpp"

namespace gathernd {

// Tuples moved at once. Where a tile ends nothing is fetched ahead for a while: by four times as
// many as are resolved at once scatters take up to a quarter less time.
inline constexpr int64_t kScatterTile = 4 * kTile;

// 0, 1, 2 ...: the positions of a tile of which nothing is left out.
inline constexpr auto kInOrder = [] {
  std::array<uint32_t, kScatterTile> positions{};
  std::iota(positions.begin(), positions.end(), 0u);
  return positions;
}();

// Writes or combines updates, or one part of each, in C order (for `first`: backwards, so that
// the first one stays). `in_order`: most calls are for updates that follow each other.
template <class O>
class ScatterMover {
 public:
  ScatterMover(const Plan& plan, std::byte* table, const std::byte* rows, const SlicePart& part,
               bool in_order = true)
      : plan_(plan),
        table_(table + plan.bias + part.table_offset),
        rows_(rows + part.row_offset),
        slice_(part.slice),
        kernels_(width_of<O>(kernels().move)),
        combine_(kernels().reduce(plan.dtype.kind, plan.reduction)),
        fetch_(fetch_of(plan, in_order)),
        streamed_(is_streamed(plan, part.slice)),
        backwards_(plan.duplicates == Duplicates::kFirst) {}

  // Of the tuples [begin, end) those that address [low, high).
  void move(int64_t begin, int64_t end, const O* offsets, O low, O high) const {
    if (low == high) return;
    const int64_t tiles = (end - begin + kScatterTile - 1) / kScatterTile;
    for (int64_t i = 0; i < tiles; ++i) {
      const int64_t first = begin + (backwards_ ? tiles - 1 - i : i) * kScatterTile;
      move_tile(first, offsets + first, std::min(kScatterTile, end - first), low, high);
    }
  }

  // Tuples of an Order whose positions are below 2^32.
  void move(const OrderedTuples<O>& tuples) const {
    if constexpr (sizeof(O) == 4) {
      if (!backwards_) return move_listed(0, tuples.offsets, tuples.positions, tuples.n);
    }
    for_each_tile(tuples.n, [&](size_t i, size_t n) {
      O offsets[kScatterTile];
      uint32_t positions[kScatterTile];
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
    for_each_tile(
        n, [&](size_t i, size_t count) { move_kept(first, offsets + i, positions + i, count); });
  }

  // Updates as they are listed, one after the other in memory; their slices are one run of bytes.
  void move_packed(const O* offsets, const std::byte* rows, size_t n) const {
    for_each_tile(n, [&](size_t i, size_t count) {
      const auto bytes = static_cast<size_t>(slice_.chunk);
      move_run({table_, plan_.scale, fetch_, offsets + i, kInOrder.data(), count, rows + i * bytes,
                slice_.chunk, bytes});
    });
  }

  // The same for one tile: `offsets` are those of the tuples [first, first + n).
  void move_tile(int64_t first, const O* offsets, int64_t n, O low, O high) const {
    const bool all = low == 0 && high == plan_.span && plan_.mode != Mode::kDrop && !backwards_;
    if (all) return move_kept(first, offsets, kInOrder.data(), static_cast<size_t>(n));
    // Aligned: where nothing is kept, each vector is stored at the begin, which must not lie in two
    // pages.
    alignas(64) O kept[kScatterTile];
    alignas(64) uint32_t positions[kScatterTile];
    const auto count =
        kernels_.partition(offsets, static_cast<size_t>(n), low, high, kept, positions);
    if (backwards_) {
      std::reverse(kept, kept + count);
      std::reverse(positions, positions + count);
    }
    move_kept(first, kept, positions, count);
  }

 private:
  // Whether long rows write more than the caches hold, and not into what they do: past them, what
  // is replaced need not be read.
  static bool is_streamed(const Plan& plan, const Slice& slice) {
    constexpr int64_t kLong = 1024, kCaches = int64_t{32} << 20;  // bytes
    constexpr uint64_t kFar = 16;                                 // halves of a core's cache
    return plan.reduction == Reduction::kNone && slice.size.empty() && slice.chunk >= kLong &&
           plan.tuples >= kCaches / slice.chunk && !fits_cache(plan, kFar);
  }

  template <class F>
  static void for_each_tile(size_t n, F f) {
    constexpr auto kMost = static_cast<size_t>(kScatterTile);
    for (size_t i = 0; i < n; i += kMost) f(i, std::min(kMost, n - i));
  }

  // To the end, which compilers make vectors of; tiles with equal ends are seldom others.
  static bool all_same(const O* offsets, size_t n) {
    if (n < 2 || offsets[0] != offsets[n - 1]) return false;
    O differences = 0;
    for (size_t i = 0; i < n; ++i) differences |= offsets[i] ^ offsets[0];
    return differences == 0;
  }

  void move_kept(int64_t first, const O* offsets, const uint32_t* positions, size_t n) const {
    if (combine_.rows == nullptr && all_same(offsets, n)) {
      return move_kept(first, offsets + n - 1, positions + n - 1, 1);  // the others do not stay
    }
    const Walk& walk = plan_.row_walk;
    if (walk.size.size() <= 1) {
      const int64_t stride = walk.size.empty() ? 0 : walk.stride[0];
      return move_run({table_, plan_.scale, fetch_, offsets, positions, n, rows_ + first * stride,
                       stride, static_cast<size_t>(slice_.chunk)});
    }
    const uint32_t zero = 0;
    for (size_t i = 0; i < n; ++i) {
      for_each_run(walk, first + positions[i], 1, [&](int64_t offset, int64_t, int64_t) {
        move_run({table_, plan_.scale, fetch_, offsets + i, &zero, 1, rows_ + offset, 0,
                  static_cast<size_t>(slice_.chunk)});
      });
    }
  }

  void move_run(ScatterTile<O> tile) const {
    if (slice_.size.empty()) {
      if (combine_.rows != nullptr) return combine(tile);
      tile.streamed = streamed_;
      kernels_.scatter(tile);
      if (streamed_) hwy::FlushStream();
      return;
    }
    const uint64_t origin = 0;
    const uint32_t zero = 0;
    for (size_t i = 0; i < tile.n; ++i) {
      std::byte* to = table_ + static_cast<int64_t>(tile.offsets[i]) * plan_.scale;
      const std::byte* from = tile.rows + static_cast<int64_t>(tile.positions[i]) * tile.row_stride;
      if (!combine_.rows) {
        copy_to_table(slice_, from, to);
        continue;
      }
      for_each_chunk(slice_, [&](int64_t table_offset, int64_t row_offset) {
        combine_.rows({to + table_offset, 0, Fetch::kNothing, &origin, &zero, 1, from + row_offset,
                       0, tile.bytes});
      });
    }
  }

  void combine(const ScatterTile<O>& tile) const {
    if constexpr (sizeof(O) == 8) {
      combine_.rows(tile);
    } else {
      const int64_t size = plan_.dtype.size;
      if (slice_.chunk == size && tile.scale == size && tile.row_stride == size) {
        return (all_same(tile.offsets, tile.n) ? combine_.repeated : combine_.elements)(tile);
      }
      uint64_t offsets[kScatterTile];
      std::copy_n(tile.offsets, tile.n, offsets);
      combine_.rows({tile.table, tile.scale, tile.fetch, offsets, tile.positions, tile.n, tile.rows,
                     tile.row_stride, tile.bytes});
    }
  }

  const Plan& plan_;
  std::byte* table_;
  const std::byte* rows_;
  Slice slice_;
  const KernelsOf<O>& kernels_;
  ReduceKernels combine_;  // null for plain writes
  Fetch fetch_;
  bool streamed_;
  bool backwards_;
};

}  // namespace gathernd
