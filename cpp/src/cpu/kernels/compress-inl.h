// Moves lanes of a vector to its front. Included once per target by partition-inl.h.

#if defined(GATHERND_COMPRESS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_COMPRESS_INL_H_
#undef GATHERND_COMPRESS_INL_H_
#else
#define GATHERND_COMPRESS_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

// lanes[bits]: the lanes whose bits are set, in order.
struct LaneLists {
  alignas(8) uint8_t lanes[256][8];
};
constexpr LaneLists MakeLaneLists() {
  LaneLists kept{};
  for (size_t bits = 0; bits < 256; ++bits) {
    size_t count = 0;
    for (uint8_t lane = 0; lane < 8; ++lane) {
      if (bits >> lane & 1) kept.lanes[bits][count++] = lane;
    }
  }
  return kept;
}
inline constexpr LaneLists kLaneLists = MakeLaneLists();

// As many lanes of another size.
template <class D, class V>
HWY_INLINE hn::Vec<D> Widen(D d, V v) {
  using From = hn::TFromD<hn::DFromV<V>>;
  if constexpr (sizeof(From) == sizeof(hn::TFromD<D>)) {
    return v;
  } else if constexpr (sizeof(From) == 1 && sizeof(hn::TFromD<D>) == 8) {
    return hn::PromoteTo(d, hn::PromoteTo(hn::Rebind<uint32_t, D>(), v));
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

// The lanes of `keep`, moved to the front: Highway's Compress, except that GCC copies the table of
// Highway 1.0.3 to the stack at every call. Partitions then take ten times as long with AVX2.
template <class D, class M>
HWY_INLINE hn::Vec<D> CompressLanes(D d, M keep, hn::Vec<D> v) {
  const hn::Repartition<uint32_t, D> d32;
  if constexpr (hn::MaxLanes(d) > 8) {
    return hn::Compress(v, keep);
  } else if constexpr (hn::MaxLanes(d32) > 8) {
    // As pairs of 32 bits: for those Compress is one instruction, for 64 bits it is a table.
    const auto keep32 = hn::MaskFromVec(hn::BitCast(d32, hn::VecFromMask(d, keep)));
    return hn::BitCast(d, hn::Compress(hn::BitCast(d32, v), keep32));
  } else {
    uint8_t bits[8];
    hn::StoreMaskBits(d, keep, bits);
    const hn::Rebind<uint8_t, D> d_lane;
    const auto lanes = Widen(d, hn::Load(d_lane, kLaneLists.lanes[bits[0]]));
    return hn::TableLookupLanes(v, hn::IndicesFromVec(d, lanes));
  }
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
