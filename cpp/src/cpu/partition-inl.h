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
