// Minima and maxima into so few elements, or bins, that vector registers hold them all. Soon few
// updates change their bin: a vector of which none does is skipped. Included once per target by
// reduce_kernels.cpp.

#if defined(GATHERND_BINS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_BINS_INL_H_
#undef GATHERND_BINS_INL_H_
#else
#define GATHERND_BINS_INL_H_
#endif

#include <algorithm>
#include <concepts>
#include <cstring>

#include "cpu/kernels/copy-inl.h"
#include "cpu/kernels/first_nan-inl.h"
#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/pick-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Op, class T>
inline constexpr bool kHasBins = kOrders<Op> && sizeof(T) == 4 &&
                                 (std::integral<T> || std::same_as<T, float>) && kIsVectorTarget;

// In two registers.
using BinTag = hn::ScalableTag<int32_t>;
inline constexpr size_t kMostBins = 2 * hn::MaxLanes(BinTag());

// Elements as integers of the same order. A NaN comes after all numbers that it replaces.
template <class Op, class T>
HWY_INLINE hn::Vec<BinTag> ToKeys(hn::Vec<BinTag> bits) {
  const BinTag d;
  if constexpr (std::floating_point<T>) {
    const auto magnitude = hn::Set(d, INT32_MAX), past_infinity = hn::Set(d, 0x7fffff);
    const auto keys = hn::Xor(bits, hn::And(hn::ShiftRight<31>(bits), magnitude));
    return std::same_as<Op, Max> ? hn::Sub(keys, past_infinity) : hn::Add(keys, past_infinity);
  } else {
    return std::signed_integral<T> ? bits : hn::Xor(bits, hn::Set(d, INT32_MIN));
  }
}

template <class Op, class T, class D>
HWY_INLINE hn::Vec<D> LoadKeys(D d, const void* from) {
  return ToKeys<Op, T>(LoadBytes(d, static_cast<const std::byte*>(from)));
}

// Stops if too many vectors change a bin: each of these takes longer than by a plain loop.
template <class Op, class T>
size_t ReduceBins(const ScatterTile<uint32_t>& tile, size_t bins) {
  constexpr size_t kMostChanges = 16;  // in a tile
  const BinTag d;
  const hn::RebindToUnsigned<BinTag> unsigned_d;
  const size_t lanes = hn::Lanes(d);
  T own[kMostBins] = {}, same[kMostBins / 2];
  std::memcpy(own, tile.table, bins * sizeof(T));
  const std::byte* rows = tile.rows;
  const auto stride = static_cast<size_t>(tile.row_stride);
  if (stride == 0) {
    std::fill_n(same, lanes, load<T>(rows));
    rows = reinterpret_cast<const std::byte*>(same);
  }
  auto low = LoadKeys<Op, T>(d, own), high = LoadKeys<Op, T>(d, own + lanes);
  const auto half = hn::Set(d, static_cast<int32_t>(lanes));
  const auto last = hn::Set(d, static_cast<int32_t>(lanes - 1));
  size_t changes = 0, done = 0;
  for (; done + lanes <= tile.n; done += lanes) {
    const auto offsets = hn::BitCast(d, hn::LoadU(unsigned_d, tile.offsets + done));
    const std::byte* first = rows + done * stride;
    const auto keys = LoadKeys<Op, T>(d, first);
    const auto at = hn::IndicesFromVec(d, hn::And(offsets, last));
    const auto found = hn::IfThenElse(hn::Lt(offsets, half), hn::TableLookupLanes(low, at),
                                      hn::TableLookupLanes(high, at));
    const auto changed = std::same_as<Op, Max> ? hn::Gt(keys, found) : hn::Lt(keys, found);
    if (HWY_LIKELY(hn::AllFalse(d, changed))) continue;
    if (++changes > kMostChanges) break;
    for (size_t i = 0; i < lanes; ++i) {
      T& bin = own[tile.offsets[done + i]];
      bin = Combine<Op>(bin, load<T>(first + i * sizeof(T)));
    }
    low = LoadKeys<Op, T>(d, own);
    high = LoadKeys<Op, T>(d, own + lanes);
  }
  std::memcpy(tile.table, own, bins * sizeof(T));
  return done;
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
