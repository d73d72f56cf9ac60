// Slices copied to the rows of their tuples by one thread.
#pragma once

#include <algorithm>

#include "cpu/kernels.hpp"
#include "cpu/settings.hpp"
#include "cpu/slices.hpp"
#include "hwy/cache_control.h"
#include "layout.hpp"

namespace gathernd {

// Copies slices, or one part of each, to the rows of the tuples.
template <class O>
class GatherMover {
 public:
  GatherMover(const Plan& plan, const std::byte* table, std::byte* rows, const std::byte* fill,
              const SlicePart& part)
      : plan_(plan),
        table_(table + plan.bias + part.table_offset),
        rows_(rows + part.row_offset),
        fill_(fill),
        slice_(part.slice),
        kernels_(width_of<O>(kernels().move)),
        stream_(kernels().move.stream),
        cached_(is_cached(plan)),
        streamed_(is_streamed(plan, part.slice)) {}

  // The offsets of the tuples [first, first + n).
  void move(int64_t first, int64_t n, const O* offsets) const {
    for_each_run(plan_.row_walk, first, n, [&](int64_t offset, int64_t stride, int64_t count) {
      if (plan_.mode == Mode::kFill) {
        move_with_holes(offsets, count, rows_ + offset, stride);
      } else if (streamed_ && stride == slice_.chunk) {
        move_streamed(offsets, count, rows_ + offset);
      } else {
        move_run(offsets, count, rows_ + offset, stride);
      }
      offsets += count;
    });
  }

 private:
  static constexpr int64_t kBlock = 16384;      // bytes: half of the smallest first-level cache
  static constexpr int64_t kLong = kBlock / 8;  // of a row that needs no block
  static constexpr size_t kLine = 64;           // of a cache line

  // Whether the result is larger than the caches, or a core's share of them where that is no
  // detour: to write it past them saves reading what it replaces.
  static bool is_streamed(const Plan& plan, const Slice& slice) {
    const int64_t caches = int64_t{slice.chunk > kLong ? 8 : 32} << 20;  // bytes
    return slice.size.empty() && slice.chunk > 0 && plan.tuples >= caches / slice.chunk;
  }

  void move_with_holes(const O* offsets, int64_t n, std::byte* row, int64_t stride) const {
    for (int64_t t = 0; t < n;) {
      const O* hole = std::find(offsets + t, offsets + n, kNoSlice<O>);
      const int64_t until = hole - offsets;
      move_run(offsets + t, until - t, row + t * stride, stride);
      for (t = until; t < n && offsets[t] == kNoSlice<O>; ++t) {
        fill_row(slice_, row + t * stride, fill_, static_cast<size_t>(plan_.dtype.size));
      }
    }
  }

  // Packed rows, past the caches: whole cache lines and long rows as they are, others by way of a
  // block of many.
  void move_streamed(const O* offsets, int64_t n, std::byte* row) const {
    const auto bytes = static_cast<size_t>(slice_.chunk);
    const bool lines = (reinterpret_cast<uintptr_t>(row) | bytes) % kLine == 0;
    if (lines || slice_.chunk > kLong) {
      const auto count = static_cast<size_t>(n);
      kernels_.gather(
          {table_, plan_.scale, cached_, offsets, count, count, row, slice_.chunk, bytes, true});
    } else {
      alignas(64) std::byte block[kBlock];
      const int64_t most = kBlock / slice_.chunk;
      for (int64_t t = 0; t < n; t += most) {
        const auto count = static_cast<size_t>(std::min(most, n - t));
        kernels_.gather({table_, plan_.scale, cached_, offsets + t, count,
                         static_cast<size_t>(n - t), block, slice_.chunk, bytes});
        stream_(row + t * slice_.chunk, block, count * bytes);
      }
    }
    hwy::FlushStream();
  }

  void move_run(const O* offsets, int64_t n, std::byte* row, int64_t stride) const {
    if (slice_.size.empty()) {
      const auto count = static_cast<size_t>(n);
      kernels_.gather({table_, plan_.scale, cached_, offsets, count, count, row, stride,
                       static_cast<size_t>(slice_.chunk)});
      return;
    }
    for (int64_t t = 0; t < n; ++t, row += stride) {
      copy_to_row(slice_, table_ + static_cast<int64_t>(offsets[t]) * plan_.scale, row);
    }
  }

  const Plan& plan_;
  const std::byte* table_;
  std::byte* rows_;
  const std::byte* fill_;
  Slice slice_;
  const KernelsOf<O>& kernels_;
  void (*stream_)(std::byte*, const std::byte*, size_t);
  bool cached_, streamed_;
};

}  // namespace gathernd
