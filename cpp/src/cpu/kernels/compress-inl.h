// Moves lanes of a vector to its front. Included once per target by partition-inl.h.

#if defined(GATHERND_COMPRESS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_COMPRESS_INL_H_
#undef GATHERND_COMPRESS_INL_H_
#else
#define GATHERND_COMPRESS_INL_H_
#endif

#include <cstdint>
#include <iterator>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

// of[bits]: the lanes whose bits are set, in order; each lane as kWidth lanes of 32 bits.
template <size_t kWidth>
struct LaneLists {
  static constexpr size_t kLanes = 8 / kWidth;

  constexpr LaneLists() {
    for (size_t bits = 0; bits < std::size(of); ++bits) {
      size_t count = 0;
      for (size_t lane = 0; lane < kLanes; ++lane) {
        if ((bits >> lane & 1) == 0) continue;
        for (size_t k = 0; k < kWidth; ++k) {
          of[bits][count++] = static_cast<uint8_t>(lane * kWidth + k);
        }
      }
    }
  }

  alignas(8) uint8_t of[1 << kLanes][8] = {};
};
inline constexpr LaneLists<1> kLaneLists;
inline constexpr LaneLists<2> kPairLists;

// As many lanes of another size.
template <class D, class V>
HWY_INLINE hn::Vec<D> Widen(D d, V v) {
  if constexpr (sizeof(hn::TFromD<hn::DFromV<V>>) == sizeof(hn::TFromD<D>)) {
    return v;
  } else {
    return hn::PromoteTo(d, v);
  }
}
template <class D, class V>
HWY_INLINE hn::Vec<D> Narrow(D d, V v) {
  if constexpr (sizeof(hn::TFromD<hn::DFromV<V>>) == sizeof(hn::TFromD<D>)) {
    return v;
  } else {
    return hn::TruncateTo(d, v);
  }
}

// The lanes of v that are listed, as many as it has.
template <class D>
HWY_INLINE hn::Vec<D> TakeLanes(D d, const uint8_t* lanes, hn::Vec<D> v) {
  const hn::Rebind<uint8_t, D> d_lane;
  return hn::TableLookupLanes(v, hn::IndicesFromVec(d, hn::PromoteTo(d, hn::Load(d_lane, lanes))));
}

// The lanes of `keep`, moved to the front: Highway's Compress, except that GCC copies the table of
// Highway 1.0.3 to the stack at every call. Partitions then take ten times as long with AVX2.
template <class D, class M>
HWY_INLINE hn::Vec<D> CompressLanes(D d, M keep, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(d) > 8) {
    return hn::Compress(v, keep);
  } else {
    uint8_t bits[8];
    hn::StoreMaskBits(d, keep, bits);
    return TakeLanes(d, kLaneLists.of[bits[0]], v);
  }
}

// The same for up to eight lanes of 64 bits, which go as pairs of 32 bits: for those Compress is
// one instruction of AVX-512, for 64 bits it is a table. `bits`: the lanes to keep.
template <class D>
HWY_INLINE hn::Vec<D> CompressPairs(D d, uint8_t bits, hn::Vec<D> v) {
  const hn::Repartition<uint32_t, D> d32;
  const auto pairs = hn::BitCast(d32, v);
  if constexpr (hn::MaxLanes(d32) > 8) {
    const uint8_t bytes[8] = {bits};
    const auto keep = hn::VecFromMask(d, hn::LoadMaskBits(d, bytes));
    return hn::BitCast(d, hn::Compress(pairs, hn::MaskFromVec(hn::BitCast(d32, keep))));
  } else {
    return hn::BitCast(d, TakeLanes(d32, kPairLists.of[bits], pairs));
  }
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
