// One thread copies slices to the rows of their tuples.
#pragma once

#include <algorithm>
#include <cstring>

#include "core/layout.hpp"
#include "cpu/common/caches.hpp"
#include "cpu/common/slices.hpp"
#include "cpu/common/tuning.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/targets.hpp"
#include "hwy/cache_control.h"

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
        by_word_(has_words_apart(plan, part.slice)),
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
    if (streamed_) hwy::FlushStream();
  }

 private:
  // Whether a prefetch would only cost time.
  static bool is_seen_ahead(const Plan& plan) {
    constexpr int64_t kShort = 16;  // bytes
    const bool has_short = !plan.slice.size.empty() && plan.slice.chunk <= kShort;
    return has_short || has_short_rows(plan) ? is_near(plan) : is_cached(plan);
  }

  static bool is_streamed(const Plan& plan, const Slice& slice) {
    const Tuning& t = tuning();
    const bool is_long = slice.chunk > t.stream_gather_row;
    const int64_t most = is_long ? t.stream_long_rows_bytes : t.stream_bytes;
    return slice.size.empty() && slice.chunk > 0 && plan.tuples >= most / slice.chunk;
  }

  // Whether packed rows are whole cache lines, or so long that the partial lines at their ends do
  // not matter. Partial lines are slow to stream.
  static bool has_lines(const std::byte* row, int64_t stride, int64_t bytes) {
    if (stride != bytes) return bytes >= tuning().stream_apart_row;
    return bytes >= tuning().stream_partial_row ||
           (bytes % kCacheLine == 0 && reinterpret_cast<uintptr_t>(row) % kCacheLine == 0);
  }

  static bool is_slice(O offset) { return offset != kNoSlice<O>; }

  // Moves rows from hole to hole. If rows are short, moves the holes along with them and fills them
  // afterwards, because a prefetch would not reach past the next hole.
  void move_with_holes(const O* offsets, int64_t n, std::byte* row, int64_t stride) const {
    constexpr int64_t kShort = 64;  // bytes
    const bool is_short = slice_.size.empty() && slice_.chunk <= kShort;
    for (int64_t t = 0; t < n;) {
      const int64_t hole = std::find(offsets + t, offsets + n, kNoSlice<O>) - offsets;
      move_run(offsets + t, hole - t, row + t * stride, stride);
      const O* const begin = offsets + hole;
      const O* end = offsets + n;
      std::byte* const to = row + hole * stride;
      if (is_short) {
        end = std::min(end, begin + kHoles);
        move_over_holes(begin, end, to, stride);
      } else {
        end = std::find_if(begin, end, is_slice);
      }
      fill_holes(begin, end, to, stride);
      t = end - offsets;
    }
  }

  // Moves up to kHoles tuples. The rows of holes get a neighbour's slice.
  void move_over_holes(const O* begin, const O* end, std::byte* row, int64_t stride) const {
    const O* const first = std::find_if(begin, end, is_slice);
    if (first == end) return;
    O slice = *first, slices[kHoles];
    for (const O* at = begin; at != end; ++at) {
      slice = is_slice(*at) ? *at : slice;
      slices[at - begin] = slice;
    }
    move_run(slices, end - begin, row, stride, false);
  }

  void fill_holes(const O* begin, const O* end, std::byte* row, int64_t stride) const {
    const std::byte* filled = nullptr;  // a row
    for (; begin != end; ++begin, row += stride) {
      if (is_slice(*begin)) continue;
      if (filled != nullptr && slice_.size.empty()) {
        std::memcpy(row, filled, static_cast<size_t>(slice_.chunk));
      } else {
        fill_row(slice_, row, fill_, static_cast<size_t>(plan_.dtype.size));
      }
      filled = row;
    }
  }

  // `may_stream`: nothing else will be written there soon.
  void move_run(const O* offsets, int64_t n, std::byte* row, int64_t stride,
                bool may_stream = true) const {
    if (slice_.size.empty()) {
      const auto count = static_cast<size_t>(n);
      const bool streamed = may_stream && streamed_ && has_lines(row, stride, slice_.chunk);
      kernels_.gather({table_, plan_.scale, cached_, offsets, count, row, stride,
                       static_cast<size_t>(slice_.chunk), streamed});
      return;
    }
    if (by_word_) return move_words(offsets, n, row, stride);
    if (has_short_chunks(slice_, n)) return move_chunks(offsets, n, row, stride);
    for (int64_t t = 0; t < n; ++t, row += stride) {
      copy_to_row(slice_, table_ + static_cast<int64_t>(offsets[t]) * plan_.scale, row);
    }
  }

  void move_words(const O* offsets, int64_t n, std::byte* row, int64_t stride) const {
    with_bits(slice_.chunk, [&]<class W>(W) {
      for (int64_t t = 0; t < n; ++t, row += stride) {
        const std::byte* from = table_ + static_cast<int64_t>(offsets[t]) * plan_.scale;
        copy_words<W>(slice_.size[0], from, slice_.table_stride[0], row, slice_.row_stride[0]);
      }
    });
  }

  void move_chunks(const O* offsets, int64_t n, std::byte* row, int64_t stride) const {
    for_each_short_chunk(slice_, n, stride,
                         [&](int64_t from, int64_t to, int64_t first, int64_t count) {
                           kernels_.gather({table_ + from, plan_.scale, cached_, offsets + first,
                                            static_cast<size_t>(count), row + to + first * stride,
                                            stride, static_cast<size_t>(slice_.chunk)});
                         });
  }

  static constexpr int64_t kHoles = 256;  // tuples, of which not all are holes, moved as one run

  const Plan& plan_;
  const std::byte* table_;
  std::byte* rows_;
  const std::byte* fill_;
  Slice slice_;
  const KernelsOf<O>& kernels_;
  bool by_word_, cached_, streamed_;
};

}  // namespace gathernd
