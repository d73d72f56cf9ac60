// Rows out of the table. Included once a target by move_kernels.cpp.

#if defined(GATHERND_GATHER_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_GATHER_ROWS_INL_H_
#undef GATHERND_GATHER_ROWS_INL_H_
#else
#define GATHERND_GATHER_ROWS_INL_H_
#endif

#include <cstring>

#include "cpu/copy-inl.h"
#include "cpu/fetch-inl.h"
#include "cpu/kernels.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {

// From a table of packed rows in the cache to packed rows.
template <size_t kBytes, class O>
void GatherPacked(const GatherTile<O>& tile) {
  const std::byte* table = tile.table;
  const O* offsets = tile.offsets;
  std::byte* to = tile.rows;
  const size_t n = tile.n;
  for (size_t t = 0; t < n; ++t) {
    std::memcpy(to + t * kBytes, table + static_cast<size_t>(offsets[t]) * kBytes, kBytes);
  }
}

// Tiles are taken by value: a store of bytes might change one that others can see.
template <size_t kBytes, class O>
void GatherRows(const GatherTile<O> tile) {
  constexpr auto kStride = static_cast<int64_t>(kBytes);
  if (kBytes != 0 && tile.cached && tile.scale == kStride && tile.row_stride == kStride) {
    return GatherPacked<kBytes>(tile);
  }
  const size_t bytes = kBytes == 0 ? tile.bytes : kBytes;
  const size_t ahead = tile.cached ? tile.known : RowsAhead(bytes);
  const auto row = [&](size_t t) { return tile.table + ByteOffset(tile.offsets[t], tile.scale); };
  std::byte* to = tile.rows;
  const bool spills = SpillOver(tile.table, bytes, tile.scale);
  const bool spills_to = SpillOver(to, bytes, tile.row_stride);
  if (!tile.cached) {
    for (size_t t = 0; t < tile.n && t < ahead; ++t) {
      PrefetchRow(row(t), bytes, spills, ForReading());
    }
  }
  size_t t = 0;
  for (; t < tile.n && t + ahead < tile.known; ++t, to += tile.row_stride) {
    PrefetchRow(row(t + ahead), bytes, spills, ForReading());
    if (bytes >= kLargeRow && t + ahead < tile.n) {
      PrefetchRow(to + static_cast<int64_t>(ahead) * tile.row_stride, bytes, spills_to,
                  ForWriting());
    }
    CopyRow<kBytes>(to, row(t), bytes);
  }
  for (; t < tile.n; ++t, to += tile.row_stride) CopyRow<kBytes>(to, row(t), bytes);
}

template <class O>
void Gather(const GatherTile<O>& tile) {
  DispatchBytes(tile.bytes, [&]<size_t kBytes>() { GatherRows<kBytes>(tile); });
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
