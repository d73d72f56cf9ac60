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
        cached_(is_seen_ahead(plan)),
        streamed_(is_streamed(plan, part.slice)) {}

  // The offsets of the tuples [first, first + n).
  void move(int64_t first, int64_t n, const O* offsets) const {
    for_each_run(plan_.row_walk, first, n, [&](int64_t offset, int64_t stride, int64_t count) {
      if (plan_.mode == Mode::kFill) {
        move_with_holes(offsets, count, rows_ + offset, stride);
      } else {
        move_run(offsets, count, rows_ + offset, stride);
      }
      offsets += count;
    });
  }

 private:
  // Whether fetching ahead would only cost.
  static bool is_seen_ahead(const Plan& plan) {
    return has_short_rows(plan) ? is_near(plan) : is_cached(plan);
  }

  // Whether the result is larger than the caches, or, of long rows, than a core's share of them: to
  // write it past them saves reading what it replaces.
  static bool is_streamed(const Plan& plan, const Slice& slice) {
    constexpr int64_t kLong = 2048;  // bytes of a row
    const int64_t caches = int64_t{slice.chunk > kLong ? 8 : 32} << 20;
    return slice.size.empty() && slice.chunk > 0 && plan.tuples >= caches / slice.chunk;
  }

  // Whether packed rows are whole cache lines, or so long that parts of lines at their ends do not
  // matter: those are slow to write past the caches.
  static bool has_lines(const std::byte* row, int64_t bytes) {
    constexpr int64_t kLine = 64, kLong = 256;  // bytes
    return bytes >= kLong || (bytes % kLine == 0 && reinterpret_cast<uintptr_t>(row) % kLine == 0);
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

  void move_run(const O* offsets, int64_t n, std::byte* row, int64_t stride) const {
    if (slice_.size.empty()) {
      const auto count = static_cast<size_t>(n);
      const bool streamed = streamed_ && stride == slice_.chunk && has_lines(row, stride);
      kernels_.gather({table_, plan_.scale, cached_, offsets, count, row, stride,
                       static_cast<size_t>(slice_.chunk), streamed});
      if (streamed) hwy::FlushStream();
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
  bool cached_, streamed_;
};

}  // namespace gathernd
