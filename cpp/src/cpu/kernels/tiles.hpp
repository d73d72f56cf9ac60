// What the kernels see: linear runs of tuples, contiguous slices. O is the type of an offset,
// uint32_t or uint64_t; offsets count units of `scale` bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gathernd/plan.hpp"

namespace gathernd {

inline constexpr int64_t kTile = 1024;  // tuples that are resolved at once

// Tuples that are moved at once: 16 KiB of offsets, for there are threads with 128 KiB of stack.
// Where a block ends nothing is fetched ahead for a while: by tiles scatters take up to a third
// more time.
template <class O>
inline constexpr int64_t kBlock = (int64_t{1} << 14) / sizeof(O);

// How far ahead of its use what is read in order is fetched, in bytes.
inline constexpr size_t kBytesAhead = 8192;

inline constexpr int kShortTuple = 4;  // components, at most

// The offset of a tuple that addresses no slice (modes fill and drop).
template <class O>
inline constexpr O kNoSlice = static_cast<O>(~O{0});

// What a tuple's components are checked against. I is the lane type, int32_t or int64_t; unsigned
// index types are stored in it bit by bit.
template <class I, class O>
struct TupleRule {
  int depth;
  Mode mode;
  bool is_signed;
  bool wraps;    // negative indices, which are signed, count from the end
  bool simd;     // dims and strides fit 32 bits, and nothing is clipped into no place
  bool batched;  // each offset holds what its batch adds; if not, all start from `base`
  size_t ahead;  // bytes: how far ahead of their use indices are fetched
  O base;
  I dims[kMaxRank];
  O strides[kMaxRank];
};

// Packed rows where is_short_row. `fetch`: they are far away.
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
  bool streamed = false;  // written past the caches: faster where rows are whole cache lines
};

// What of a scatter is fetched ahead of its use.
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
  bool streamed = false;  // written past the caches, by scatter: faster where rows are long

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
  const int64_t* row_offsets;  // bytes, a tuple each
  size_t tuples;
  size_t bytes;
};

}  // namespace gathernd
