// Copies rows out of the table. Included once per target by move_kernels.cpp.

#if defined(GATHERND_GATHER_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_GATHER_ROWS_INL_H_
#undef GATHERND_GATHER_ROWS_INL_H_
#else
#define GATHERND_GATHER_ROWS_INL_H_
#endif

#include "cpu/kernels/copy-inl.h"
#include "cpu/kernels/fetch-inl.h"
#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/short_rows-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {

// Packed short rows of a table that is near.
template <size_t kBytes, class O>
void GatherNear(const GatherTile<O> tile) {
  constexpr size_t kBatch = kLine / sizeof(O);
  size_t t = 0;
  for (; t + kBatch <= tile.n; t += kBatch) {
    FetchLater(tile.offsets + t);
    MoveRows<kBytes>(tile.table, tile.offsets + t, tile.rows + t * kBytes, kBatch);
  }
  MoveRows<kBytes>(tile.table, tile.offsets + t, tile.rows + t * kBytes, tile.n - t);
}

// Packed short rows of a table that is far away.
template <size_t kBytes, class O>
void GatherFar(const GatherTile<O> tile) {
  const size_t done = MoveFar<kBytes, O>(tile.table, tile.rows, [=](auto use) HWY_ATTR {
    const hn::ScalableTag<O> d;
    size_t t = 0;
    for (; t + hn::Lanes(d) <= tile.n; t += hn::Lanes(d)) {
      FetchLater(tile.offsets + t);
      use(hn::LoadU(d, tile.offsets + t), t);
    }
    return t;
  });
  MoveRows<kBytes>(tile.table, tile.offsets + done, tile.rows + done * kBytes, tile.n - done);
}

// Rows of kBytes, if that is not 0. kUnit: the scale and the stride of the rows if they are equal
// and known, else 0.
template <size_t kBytes, size_t kUnit, class O>
HWY_INLINE void GatherAhead(const GatherTile<O> tile) {
  const int64_t scale = kUnit == 0 ? tile.scale : static_cast<int64_t>(kUnit);
  const int64_t row_stride = kUnit == 0 ? tile.row_stride : static_cast<int64_t>(kUnit);
  const size_t bytes = kBytes == 0 ? tile.bytes : kBytes;
  const size_t ahead = tile.cached ? tile.n : RowsAhead(bytes);
  const bool streamed = bytes >= kLine && tile.streamed;
  const auto row = [&](size_t t) { return tile.table + ByteOffset(tile.offsets[t], scale); };
  std::byte* to = tile.rows;
  const bool spills = SpillOver(tile.table, bytes, scale);
  const bool spills_to = SpillOver(to, bytes, row_stride);
  if (!tile.cached) {
    for (size_t t = 0; t < tile.n && t < ahead; ++t) {
      PrefetchRow(row(t), bytes, spills, ForReading());
    }
  }
  const auto move = [&](size_t t) HWY_ATTR {
    if (streamed) return Stream(to, row(t), bytes);
    CopyRow<kBytes>(to, row(t), bytes);
  };
  size_t t = 0;
  for (; t + ahead < tile.n; ++t, to += row_stride) {
    PrefetchRow(row(t + ahead), bytes, spills, ForReading());
    if (bytes >= kLargeRow && !streamed) {
      PrefetchRow(to + static_cast<int64_t>(ahead) * row_stride, bytes, spills_to, ForWriting());
    }
    move(t);
  }
  for (; t < tile.n; ++t, to += row_stride) move(t);
}

// Tiles are passed by value, because a store of bytes might change one that is passed by
// reference.
template <size_t kBytes, class O>
void GatherRows(const GatherTile<O> tile) {
  constexpr auto kStride = static_cast<int64_t>(kBytes);
  if constexpr (kBytes != 0) {
    if (tile.scale == kStride && tile.row_stride == kStride) {
      if (tile.cached && !tile.streamed) {
        return GatherNear<kBytes>(tile);
      }
      if constexpr (kBytes <= kSeldomSpills) {
        return GatherFar<kBytes>(tile);
      } else {
        return GatherAhead<kBytes, kBytes>(tile);
      }
    }
  }
  GatherAhead<kBytes, 0>(tile);
}

template <class O>
void Gather(const GatherTile<O>& tile) {
  DispatchBytes(tile.bytes, [&]<size_t kBytes>() { GatherRows<kBytes>(tile); });
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
