// What the kernels see: linear runs of tuples, and contiguous slices. O is the type of an offset,
// uint32_t or uint64_t. Offsets count units of `scale` bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gathernd/plan.hpp"

namespace gathernd {

inline constexpr int64_t kTile = 1024;  // tuples that are resolved at once

// Tuples that are moved at once: 16 KiB of offsets, because some threads have 128 KiB of stack.
// Prefetching pauses at the end of a block, so with smaller blocks, such as tiles, scatters take up
// to a third more time.
template <class O>
inline constexpr int64_t kBlock = (int64_t{1} << 14) / sizeof(O);

// How far ahead data that is read in order is prefetched, in bytes.
inline constexpr size_t kBytesAhead = 8192;

inline constexpr int kShortTuple = 4;  // components, at most

// The offset of a tuple that addresses no slice (modes fill and drop).
template <class O>
inline constexpr O kNoSlice = static_cast<O>(~O{0});

// What a tuple's components are checked against. I is the lane type, int32_t or int64_t, which
// holds the bits of unsigned indices.
template <class I, class O>
struct TupleRule {
  int depth;
  Mode mode;
  bool is_signed;
  bool wraps;    // negative indices count from the end
  bool simd;     // dims and strides fit 32 bits, and no index is clipped into an empty dimension
  bool batched;  // offsets hold what their batches add; else all start at `base`
  size_t ahead;  // bytes: how far ahead indices are prefetched
  O base;
  I dims[kMaxRank];
  O strides[kMaxRank];
};

// Packed rows: short ones, or pixels from a near cache. `fetch`: the table is in no near cache.
struct ShortRows {
  const std::byte* table;
  bool fetch;
  std::byte* rows;
  size_t bytes;
};

// rows[t] = table[offsets[t]], `bytes` each.
template <class O>
struct GatherTile {
  const std::byte* table;
  int64_t scale;
  bool cached;  // the table is small: do not prefetch
  const O* offsets;
  size_t n;
  std::byte* rows;
  int64_t row_stride;
  size_t bytes;
  bool streamed = false;  // by non-temporal stores: faster if rows are whole cache lines
};

// What a scatter prefetches.
enum class Fetch : uint8_t { kNothing, kTable, kBoth };

// table[offsets[i]] = rows[positions[i]], or the reduction of the two, in this order. Without
// positions: rows[i].
template <class O>
struct ScatterTile {
  std::byte* table;
  int64_t scale;
  Fetch fetch;
  const O* offsets;
  const uint32_t* positions;
  size_t n;
  const std::byte* rows;
  int64_t row_stride;
  size_t bytes;
  bool streamed = false;  // by non-temporal stores, in a scatter: faster if rows are long

  size_t position(size_t i) const { return positions == nullptr ? i : positions[i]; }
  ScatterTile range(size_t begin, size_t count) const {
    ScatterTile result = *this;
    result.offsets += begin;
    result.n = count;
    if (positions != nullptr) {
      result.positions += begin;
    } else {
      result.rows += static_cast<int64_t>(begin) * row_stride;
    }
    return result;
  }
};

// The next `n` tuples address one slice, at `offset` bytes.
struct Run {
  int64_t offset;
  size_t n;
};

// For each run: table[offset] = table[offset] op rows[row_offsets[t]] op ..., rounded once.
struct RunTile {
  std::byte* table;
  const Run* runs;
  size_t n;
  const std::byte* rows;
  const int64_t* row_offsets;  // bytes, one per tuple
  size_t tuples;
  size_t bytes;
};

}  // namespace gathernd
