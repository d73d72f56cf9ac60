// Single elements gathered as their tuples are resolved. Included once a target by
// move_kernels.cpp.

#if defined(GATHERND_GATHER_ELEMENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_GATHER_ELEMENTS_INL_H_
#undef GATHERND_GATHER_ELEMENTS_INL_H_
#else
#define GATHERND_GATHER_ELEMENTS_INL_H_
#endif

#include "cpu/resolve-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// rows[t] = table[offsets[t]] for elements of type T, without a way through memory for the offsets.
#if HWY_TARGET == HWY_SCALAR

template <class T, class I>
size_t GatherElements(const TupleRule<I, uint32_t>&, const I*, const std::byte*, std::byte*,
                      size_t) {
  return 0;
}

#else

template <class T, class I>
size_t GatherElements(const TupleRule<I, uint32_t>& rule, const I* tuples, const std::byte* table,
                      std::byte* rows, size_t n) {
  const auto* from = reinterpret_cast<const T*>(table);
  auto* to = reinterpret_cast<T*>(rows);
  const uint32_t* no_batches = nullptr;
  return ForEachResolved(rule, tuples, no_batches, n, [=](auto offsets, size_t t) HWY_ATTR {
    using D = hn::DFromV<decltype(offsets)>;
    const hn::RebindToSigned<D> d_offset;
    const auto gather = [=](auto index, size_t at) HWY_ATTR {
      using DIndex = hn::DFromV<decltype(index)>;
      const hn::RebindToUnsigned<DIndex> d;
      hn::StoreU(hn::GatherIndex(d, from, index), d, to + at);
    };
    if constexpr (sizeof(T) == 4) {
      gather(hn::BitCast(d_offset, offsets), t);
    } else if constexpr (sizeof(I) == 8) {
      gather(
          hn::PromoteTo(hn::Rebind<int64_t, decltype(d_offset)>(), hn::BitCast(d_offset, offsets)),
          t);
    } else {
      const hn::Half<decltype(d_offset)> d_half;
      const hn::Rebind<int64_t, decltype(d_half)> d_wide;
      const auto index = hn::BitCast(d_offset, offsets);
      gather(hn::PromoteTo(d_wide, hn::LowerHalf(d_half, index)), t);
      gather(hn::PromoteTo(d_wide, hn::UpperHalf(d_half, index)), t + hn::Lanes(d_half));
    }
  });
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
