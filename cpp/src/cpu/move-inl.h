// Rows between the table and the row array, and the tuples that a thread keeps. Included once a
// target by move_kernels.cpp.

#if defined(GATHERND_MOVE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_MOVE_INL_H_
#undef GATHERND_MOVE_INL_H_
#else
#define GATHERND_MOVE_INL_H_
#endif

#include <cstring>

#include "cpu/kernels.hpp"
#include "cpu/prefetch.hpp"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// How many rows ahead of the one in hand are fetched: the latency of memory over that of a row.
constexpr size_t kSmallAhead = 64;
constexpr size_t kLargeAhead = 8;
constexpr size_t kLargeRow = 64;  // bytes

// Any size, without a call for the sizes of rows.
HWY_INLINE void CopyBytes(std::byte* to, const std::byte* from, size_t n) {
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<uint8_t> d;
  const size_t lanes = hn::Lanes(d);
  auto* out = reinterpret_cast<uint8_t*>(to);
  const auto* in = reinterpret_cast<const uint8_t*>(from);
  if (n >= lanes && n <= 64 * lanes) {
    for (size_t i = 0; i + lanes <= n; i += lanes) hn::StoreU(hn::LoadU(d, in + i), d, out + i);
    hn::StoreU(hn::LoadU(d, in + n - lanes), d, out + n - lanes);
    return;
  }
#endif
  if (n < 16) {
    // Two loads of one size that meet or overlap.
    const auto halves = [&](auto word) {
      auto last = word;
      std::memcpy(&word, from, sizeof word);
      std::memcpy(&last, from + n - sizeof last, sizeof last);
      std::memcpy(to, &word, sizeof word);
      std::memcpy(to + n - sizeof last, &last, sizeof last);
    };
    if (n >= 8) return halves(uint64_t{});
    if (n >= 4) return halves(uint32_t{});
    if (n >= 2) return halves(uint16_t{});
    if (n == 1) *to = *from;
    return;
  }
  std::memcpy(to, from, n);
}

// kBytes 0 stands for any size.
template <size_t kBytes>
HWY_INLINE void CopyRow(std::byte* to, const std::byte* from, size_t n) {
  if constexpr (kBytes == 0) {
    CopyBytes(to, from, n);
  } else {
    std::memcpy(to, from, kBytes);
  }
}

// No lambdas: GCC takes one that only fetches ahead for one without an effect, and leaves it out.
struct ForReading {
  HWY_INLINE void operator()(const std::byte* line) const { hwy::Prefetch(line); }
};
struct ForWriting {
  HWY_INLINE void operator()(const std::byte* line) const { prefetch_for_write(line); }
};

// Fetches each cache line of a row.
template <class F>
HWY_INLINE void PrefetchRow(const std::byte* row, size_t bytes, F fetch) {
  constexpr size_t kLine = 64;
  constexpr size_t kMost = 1024;  // further on, the hardware follows by itself
  constexpr size_t kShort = 16;   // rows that seldom lie in two lines
  for (size_t i = 0; i < bytes && i < kMost; i += kLine) fetch(row + i);
  if (bytes <= kShort || bytes > kMost) return;
  // One line more where the row starts in the midst of one: to fetch one twice is dear as well.
  const size_t last = bytes - 1;
  const bool more = (reinterpret_cast<uintptr_t>(row) + last) % kLine < last % kLine;
  if (more) fetch(row + last);
}

template <class O>
HWY_INLINE int64_t ByteOffset(O offset, int64_t scale) {
  return static_cast<int64_t>(offset) * scale;
}

// Calls f(to, from) for each update of the tile, in order, its target fetched ahead. kUnit is the
// scale and the stride of the rows where they are the same and known, else 0. kReads: f reads its
// target, which fetches it as well.
template <size_t kUnit, bool kReads, class O, class F>
HWY_INLINE void ForEachTarget(const ScatterTile<O> tile, size_t bytes, F f) {
  const int64_t scale = kUnit == 0 ? tile.scale : static_cast<int64_t>(kUnit);
  const int64_t row_stride = kUnit == 0 ? tile.row_stride : static_cast<int64_t>(kUnit);
  const auto target = [&](size_t i) { return tile.table + ByteOffset(tile.offsets[i], scale); };
  const auto row = [&](size_t i) {
    return tile.rows + static_cast<int64_t>(tile.positions[i]) * row_stride;
  };
  size_t i = 0;
  if (!(kReads && tile.cached)) {
    const size_t ahead = bytes < kLargeRow ? kSmallAhead : kLargeAhead;
    for (size_t a = 0; a < ahead && a < tile.n; ++a) PrefetchRow(target(a), bytes, ForWriting());
    for (; i + ahead < tile.n; ++i) {
      PrefetchRow(target(i + ahead), bytes, ForWriting());
      f(target(i), row(i));
    }
  }
  for (; i < tile.n; ++i) f(target(i), row(i));
}

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
  const size_t ahead = tile.cached ? tile.known : bytes < kLargeRow ? kSmallAhead : kLargeAhead;
  const auto row = [&](size_t t) { return tile.table + ByteOffset(tile.offsets[t], tile.scale); };
  std::byte* to = tile.rows;
  if (!tile.cached) {
    for (size_t t = 0; t < tile.n && t < ahead; ++t) PrefetchRow(row(t), bytes, ForReading());
  }
  size_t t = 0;
  for (; t < tile.n && t + ahead < tile.known; ++t, to += tile.row_stride) {
    PrefetchRow(row(t + ahead), bytes, ForReading());
    if (bytes >= kLargeRow && t + ahead < tile.n) {
      PrefetchRow(to + static_cast<int64_t>(ahead) * tile.row_stride, bytes, ForWriting());
    }
    CopyRow<kBytes>(to, row(t), bytes);
  }
  for (; t < tile.n; ++t, to += tile.row_stride) CopyRow<kBytes>(to, row(t), bytes);
}

template <size_t kBytes, class O>
void ScatterRows(const ScatterTile<O> tile) {
  constexpr auto kUnit = static_cast<int64_t>(kBytes);
  const size_t bytes = kBytes == 0 ? tile.bytes : kBytes;
  const auto copy = [=](std::byte* to, const std::byte* from)
                        HWY_ATTR { CopyRow<kBytes>(to, from, bytes); };
  if (kBytes != 0 && tile.scale == kUnit && tile.row_stride == kUnit) {
    return ForEachTarget<kBytes, false>(tile, kBytes, copy);
  }
  ForEachTarget<0, false>(tile, bytes, copy);
}

inline void Stream(std::byte* to, const std::byte* from, size_t n) {
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<uint8_t> d;
  const size_t lanes = hn::Lanes(d);
  const size_t head = HWY_MIN(n, static_cast<size_t>(-reinterpret_cast<uintptr_t>(to) & 63));
  CopyBytes(to, from, head);
  auto* out = reinterpret_cast<uint8_t*>(to);
  const auto* in = reinterpret_cast<const uint8_t*>(from);
  size_t i = head;
  // Whole lines only: parts of one are slow.
  for (; i + 64 <= n; i += 64) {
    for (size_t part = 0; part < 64; part += lanes) {
      hn::Stream(hn::LoadU(d, in + i + part), d, out + i + part);
    }
  }
  to += i;
  from += i;
  n -= i;
#endif
  CopyBytes(to, from, n);
}

// Calls f.operator()<kBytes>() with the size as a constant where there is a special form.
template <class F>
void DispatchBytes(size_t bytes, F f) {
  switch (bytes) {
    case 1:
      return f.template operator()<1>();
    case 2:
      return f.template operator()<2>();
    case 3:
      return f.template operator()<3>();
    case 4:
      return f.template operator()<4>();
    case 6:
      return f.template operator()<6>();
    case 8:
      return f.template operator()<8>();
    case 12:
      return f.template operator()<12>();
    case 16:
      return f.template operator()<16>();
    default:
      return f.template operator()<0>();
  }
}

template <class O>
void Gather(const GatherTile<O>& tile) {
  DispatchBytes(tile.bytes, [&]<size_t kBytes>() { GatherRows<kBytes>(tile); });
}

template <class O>
void Scatter(const ScatterTile<O>& tile) {
  DispatchBytes(tile.bytes, [&]<size_t kBytes>() { ScatterRows<kBytes>(tile); });
}

template <class O>
size_t Partition(const O* offsets, size_t n, O low, O high, O* kept, uint32_t* positions) {
  size_t count = 0;
  size_t t = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (sizeof(O) == 4) {
    const hn::ScalableTag<uint32_t> d;
    const size_t lanes = hn::Lanes(d);
    const auto first = hn::Set(d, low);
    const auto size = hn::Set(d, high - low);
    const auto step = hn::Set(d, static_cast<uint32_t>(lanes));
    auto places = hn::Iota(d, 0);
    for (; t + lanes <= n; t += lanes, places = hn::Add(places, step)) {
      const auto v = hn::LoadU(d, offsets + t);
      const auto keep = hn::Lt(hn::Sub(v, first), size);
      if (hn::AllFalse(d, keep)) continue;
      if (hn::AllTrue(d, keep)) {
        hn::StoreU(places, d, positions + count);
        hn::StoreU(v, d, kept + count);
        count += lanes;
        continue;
      }
      hn::StoreU(hn::Compress(places, keep), d, positions + count);
      hn::StoreU(hn::Compress(v, keep), d, kept + count);
      count += hn::CountTrue(d, keep);
    }
  }
#endif
  for (; t < n; ++t) {
    kept[count] = offsets[t];
    positions[count] = static_cast<uint32_t>(t);
    count += static_cast<O>(offsets[t] - low) < static_cast<O>(high - low);
  }
  return count;
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
