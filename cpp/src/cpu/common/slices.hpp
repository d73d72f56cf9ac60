// Slices that are not one run of bytes, and parts of long ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "cpu/common/caches.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/words.hpp"
#include "gathernd/plan.hpp"
#include "gathernd/tensor.hpp"

namespace gathernd {

// Calls f(table_offset, row_offset, n) for each run of up to `most` chunks along the innermost
// dimension of a slice that has one.
template <class F>
void for_each_run_of_chunks(const Slice& slice, int64_t most, F f) {
  const int inner = slice.size.size() - 1;
  const int64_t n = slice.size[inner];
  const int64_t table_stride = slice.table_stride[inner], row_stride = slice.row_stride[inner];
  int64_t at[kMaxRank];
  std::fill_n(at, inner, int64_t{0});
  int64_t table = 0, row = 0;
  while (true) {
    for (int64_t i = 0; i < n; i += most) {
      f(table + i * table_stride, row + i * row_stride, std::min(most, n - i));
    }
    int d = inner - 1;
    for (; d >= 0; --d) {
      table += slice.table_stride[d];
      row += slice.row_stride[d];
      if (++at[d] < slice.size[d]) break;
      table -= slice.size[d] * slice.table_stride[d];
      row -= slice.size[d] * slice.row_stride[d];
      at[d] = 0;
    }
    if (d < 0) return;
  }
}

// Calls f(table_offset, row_offset) for each chunk of the slice. What the innermost loop needs is
// read before it: a compiler takes it that the bytes that `f` stores may change the slice.
template <class F>
void for_each_chunk(const Slice& slice, F f) {
  const int rank = slice.size.size();
  if (rank == 0) return f(int64_t{0}, int64_t{0});
  const int64_t table_stride = slice.table_stride[rank - 1],
                row_stride = slice.row_stride[rank - 1];
  for_each_run_of_chunks(slice, slice.size[rank - 1], [=](int64_t table, int64_t row, int64_t n) {
    for (int64_t i = 0; i < n; ++i) f(table + i * table_stride, row + i * row_stride);
  });
}

// Whether to move one chunk of all `n` tuples at a time instead of all chunks of one tuple. That is
// faster for short chunks, because a kernel moves them.
inline bool has_short_chunks(const Slice& slice, int64_t n) {
  constexpr int64_t kShort = 64, kFew = 8;  // bytes, tuples
  return !slice.size.empty() && slice.chunk <= kShort && n >= kFew;
}

// Whether to move all words of one tuple after the other instead, for slices of many words along
// one dimension, with other slices between them: their cache lines would come again for each chunk.
bool has_words_apart(const Plan& plan, const Slice& slice);

// The words of such a slice: to = from.
template <class W>
void copy_words(int64_t n, const std::byte* from, int64_t from_stride, std::byte* to,
                int64_t to_stride) {
  for (; n > 0; --n, from += from_stride, to += to_stride) {
    W word;
    std::memcpy(&word, from, sizeof(W));
    std::memcpy(to, &word, sizeof(W));
  }
}

// Of how many rows L1 should hold a cache line each. Addresses that are equal modulo 4 KiB have one
// set of lines there; the rows take four of each set.
inline int64_t lines_at_once(int64_t row_stride) {
  constexpr int64_t kSets = 4096, kWays = 4, kFewest = 32;  // bytes of one line per set
  const int64_t stride = std::abs(row_stride);
  if (stride < kCacheLine) return kWays * kSets / std::max<int64_t>(1, stride);
  return std::clamp(kWays * kSets / std::gcd(stride, kSets), kFewest, kWays * kSets / kCacheLine);
}

// Calls f(table_offset, row_offset, first, n) for each chunk of the tuples [first, first + n),
// until all chunks of all `tuples` have had their turn; a chunk's tuples come in order. Chunks that
// share cache lines come soon after another, while L1 holds those of the rows, which begin `stride`
// bytes apart.
template <class F>
void for_each_short_chunk(const Slice& slice, int64_t tuples, int64_t stride, F f) {
  const int inner = slice.size.size() - 1;
  const int64_t table_stride = slice.table_stride[inner], row_stride = slice.row_stride[inner];
  const int64_t apart = std::min(std::abs(table_stride), std::abs(row_stride));
  const int64_t together = std::max<int64_t>(1, kCacheLine / std::max<int64_t>(1, apart));
  const int64_t step = together == 1 ? tuples : lines_at_once(stride);
  for_each_run_of_chunks(slice, together, [&](int64_t table, int64_t row, int64_t chunks) {
    for (int64_t first = 0; first < tuples; first += step) {
      const int64_t n = std::min(step, tuples - first);
      for (int64_t i = 0; i < chunks; ++i) {
        f(table + i * table_stride, row + i * row_stride, first, n);
      }
    }
  });
}

// row = table, and the reverse.
void copy_to_row(const Slice& slice, const std::byte* table, std::byte* row);
void copy_to_table(const Slice& slice, const std::byte* row, std::byte* table);

// Sets every element of the row to `value`, of `size` bytes.
void fill_row(const Slice& slice, std::byte* row, const std::byte* value, size_t size);

// Part of a slice, and where it begins in the table and in the rows.
struct SlicePart {
  Slice slice;
  int64_t table_offset = 0;
  int64_t row_offset = 0;
};
// Part `part` of `parts`, cut along the outermost dimension.
SlicePart cut_slice(const Slice& slice, int64_t element_size, int64_t part, int64_t parts);
// The run of bytes of each element of the slice.
SlicePart field_of(const Slice& slice, int64_t element_size, const ByteRun& run);

// Whether each tuple moves one word of `slice`, which is the plan's or a part of it, and one stride
// covers the words of all updates.
bool has_word_rows(const Plan& plan, const Slice& slice);

// Whether slices are runs of bytes without gaps between them, both in the table and in the rows.
bool has_packed_rows(const Plan& plan);

// The same, if one instruction moves each slice.
bool has_short_rows(const Plan& plan);

// How many threads the tuples are worth; and into how many parts to cut them, several per thread.
int64_t count_parts_of(const Plan& plan);
int64_t count_ranges_of(const Plan& plan);

// The most parts into which cut_slice cuts a slice of the plan.
int64_t most_columns(const Plan& plan);

// How many threads should each take a part of every slice; 1: threads should share the tuples.
int64_t count_columns(const Plan& plan);

// What a scatter had better fetch ahead, whose updates come in the order of their memory or not.
Fetch fetch_of(const Plan& plan, bool in_order);

// to = from, on all threads; the same shape and element size, no overlap.
void copy_tensor(const Tensor& from, const Tensor& to);

}  // namespace gathernd
