// The tuples that a thread keeps. Included once a target by move_kernels.cpp.

#if defined(GATHERND_PARTITION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_PARTITION_INL_H_
#undef GATHERND_PARTITION_INL_H_
#else
#define GATHERND_PARTITION_INL_H_
#endif

#include "cpu/kernels.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

// kKept[bits]: the lanes whose bits are set, in order.
struct KeptLanes {
  alignas(8) uint8_t lanes[256][8];
};
constexpr KeptLanes MakeKeptLanes() {
  KeptLanes kept{};
  for (size_t bits = 0; bits < 256; ++bits) {
    size_t count = 0;
    for (uint8_t lane = 0; lane < 8; ++lane) {
      if (bits >> lane & 1) kept.lanes[bits][count++] = lane;
    }
  }
  return kept;
}
inline constexpr KeptLanes kKept = MakeKeptLanes();

// Moves the lanes of `keep` to the front of two vectors and stores them.
template <class D, class M>
HWY_INLINE void StoreKept(D d, M keep, hn::Vec<D> a, uint32_t* to_a, hn::Vec<D> b, uint32_t* to_b) {
  if constexpr (hn::MaxLanes(d) <= 8) {
    // Not Compress: of Highway 1.0.3, GCC copies its table to the stack at every call.
    uint8_t bits[8];
    hn::StoreMaskBits(d, keep, bits);
    const hn::Rebind<uint8_t, D> d_lane;
    const auto lanes = hn::PromoteTo(d, hn::Load(d_lane, kKept.lanes[bits[0]]));
    const auto order = hn::IndicesFromVec(d, lanes);
    hn::StoreU(hn::TableLookupLanes(a, order), d, to_a);
    hn::StoreU(hn::TableLookupLanes(b, order), d, to_b);
  } else {
    hn::StoreU(hn::Compress(a, keep), d, to_a);
    hn::StoreU(hn::Compress(b, keep), d, to_b);
  }
}

#endif  // HWY_TARGET != HWY_SCALAR

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
      StoreKept(d, keep, v, kept + count, places, positions + count);
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
