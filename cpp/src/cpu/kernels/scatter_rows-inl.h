// Copies rows into the table, in the order of the tuples. Included once per target by
// move_kernels.cpp and by the files of reductions.

#if defined(GATHERND_SCATTER_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_SCATTER_ROWS_INL_H_
#undef GATHERND_SCATTER_ROWS_INL_H_
#else
#define GATHERND_SCATTER_ROWS_INL_H_
#endif

#include "cpu/kernels/copy-inl.h"
#include "cpu/kernels/fetch-inl.h"
#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/scatter_words-inl.h"
#include "cpu/kernels/words.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {

// Calls f(to, from) for each update of the tile, in order, and prefetches both as the tile says.
// kUnit: the scale and the stride of the rows if they are equal and known, else 0.
template <size_t kUnit, class O, class F>
HWY_INLINE void ForEachTarget(const ScatterTile<O> tile, size_t bytes, F f) {
  const int64_t scale = kUnit == 0 ? tile.scale : static_cast<int64_t>(kUnit);
  const int64_t row_stride = kUnit == 0 ? tile.row_stride : static_cast<int64_t>(kUnit);
  const auto target = [&](size_t i) { return tile.table + ByteOffset(tile.offsets[i], scale); };
  const auto row = [&](size_t i) {
    return tile.rows + static_cast<int64_t>(tile.position(i)) * row_stride;
  };
  size_t i = 0;
  if (tile.fetch != Fetch::kNothing) {
    const bool both = tile.fetch == Fetch::kBoth;
    const bool spills = SpillOver(tile.table, bytes, scale);
    const bool rows_spill = SpillOver(tile.rows, bytes, row_stride);
    const size_t ahead = RowsAhead(bytes);
    for (size_t a = 0; a < ahead && a < tile.n; ++a) {
      PrefetchRow(target(a), bytes, spills, ForWriting());
      if (both) PrefetchRow(row(a), bytes, rows_spill, ForReading());
    }
    for (; i + ahead < tile.n; ++i) {
      PrefetchRow(target(i + ahead), bytes, spills, ForWriting());
      if (both) PrefetchRow(row(i + ahead), bytes, rows_spill, ForReading());
      f(target(i), row(i));
    }
  }
  for (; i < tile.n; ++i) f(target(i), row(i));
}

template <size_t kBytes, class O>
void ScatterRows(const ScatterTile<O> tile) {
  constexpr auto kUnit = static_cast<int64_t>(kBytes);
  const size_t bytes = kBytes == 0 ? tile.bytes : kBytes;
  const auto copy = [=](std::byte* to, const std::byte* from)
                        HWY_ATTR { CopyRow<kBytes>(to, from, bytes); };
  if (kBytes != 0 && tile.scale == kUnit && tile.row_stride == kUnit) {
    if constexpr (is_word(kUnit)) {
      using W = Word<kBytes>;
      return ForEachWord<W>(tile,
                            [](std::byte* to, W word) HWY_ATTR { std::memcpy(to, &word, kBytes); });
    } else {
      return ForEachTarget<kBytes>(tile, kBytes, copy);
    }
  }
  ForEachTarget<0>(tile, bytes, copy);
}

// By non-temporal stores, so that what the rows replace is not read. Stores of one thread to one
// address stay in order.
template <class O>
void StreamRows(const ScatterTile<O> tile) {
  const auto row = [&](size_t i) {
    return tile.rows + static_cast<int64_t>(tile.position(i)) * tile.row_stride;
  };
  const bool spills = SpillOver(tile.rows, tile.bytes, tile.row_stride);
  const size_t ahead = RowsAhead(tile.bytes);
  for (size_t i = 0; i < tile.n; ++i) {
    if (i + ahead < tile.n) PrefetchRow(row(i + ahead), tile.bytes, spills, ForReading());
    Stream(tile.table + ByteOffset(tile.offsets[i], tile.scale), row(i), tile.bytes);
  }
}

template <class O>
void Scatter(const ScatterTile<O>& tile) {
  if (tile.streamed) return StreamRows(tile);
  DispatchBytes(tile.bytes, [&]<size_t kBytes>() { ScatterRows<kBytes>(tile); });
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
