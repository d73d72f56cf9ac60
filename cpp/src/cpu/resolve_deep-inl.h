// Tuples of any depth to offsets, as many as a vector has lanes at a time: their indices are
// checked and scaled where they lie, one after the other, and then each tuple's are added up.

#if defined(GATHERND_RESOLVE_DEEP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_RESOLVE_DEEP_INL_H_
#undef GATHERND_RESOLVE_DEEP_INL_H_
#else
#define GATHERND_RESOLVE_DEEP_INL_H_
#endif

#include <atomic>
#include <type_traits>

#include "cpu/resolve_index-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

// sums[i] = the sum of the i-th `depth` values, kDepth if that is not 0.
template <size_t kDepth, class U>
HWY_INLINE void AddUp(const U* values, size_t depth, size_t n, U* sums) {
  if constexpr (kDepth != 0) depth = kDepth;
  for (size_t i = 0; i < n; ++i, values += depth) {
    U sum = values[0];
    for (size_t k = 1; k < depth; ++k) sum += values[k];
    sums[i] = sum;
  }
}

template <class U>
HWY_INLINE void AddUp(const U* values, size_t depth, size_t n, U* sums) {
  switch (depth) {
    case 5:
      return AddUp<5>(values, depth, n, sums);
    case 6:
      return AddUp<6>(values, depth, n, sums);
    case 7:
      return AddUp<7>(values, depth, n, sums);
    case 8:
      return AddUp<8>(values, depth, n, sums);
    default:
      return AddUp<0>(values, depth, n, sums);
  }
}

// Calls use(offsets, t) as ResolveDepth does.
template <Mode kMode, class I, class O, class F>
HWY_INLINE size_t ResolveDeep(const TupleRule<I, O>& rule, const I* tuples, const O* batches,
                              size_t n, F use) {
  const hn::ScalableTag<I> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::Rebind<O, decltype(d)> d_offset;
  using U = std::make_unsigned_t<I>;
  constexpr size_t kLanes = hn::MaxLanes(d), kMost = kLanes * kMaxRank;
  const size_t depth = static_cast<size_t>(rule.depth), lanes = hn::Lanes(d);
  const size_t indices = depth * lanes;
  const bool holes = leaves_holes(rule.mode);
  if (n < lanes) return 0;
  alignas(64) I wraps[kMost], lasts[kMost], strides[kMost];
  for (size_t i = 0; i < indices; ++i) {
    const Component<I> component(rule, i % depth);
    wraps[i] = component.wrap;
    lasts[i] = component.last;
    strides[i] = component.stride;
  }
  alignas(64) U scaled[kMost], flags[kMost], sums[kLanes];
  const auto base = hn::Set(d_offset, rule.base);
  size_t t = 0;
  for (; t + lanes <= n; t += lanes) {
    auto any_bad = hn::Zero(d);
    for (size_t i = 0; i < indices; i += lanes) {
      const auto index = hn::LoadU(d, tuples + t * depth + i);
      FetchLater(tuples + t * depth + i, depth);
      // Another thread may rewrite the indices: what was loaded here is checked and used.
      std::atomic_signal_fence(std::memory_order_seq_cst);
      auto bad = hn::Zero(d);
      const auto product = ScaleIndex<kMode>(d, rule.is_signed, index, hn::Load(d, wraps + i),
                                             hn::Load(d, lasts + i), hn::Load(d, strides + i), bad);
      hn::Store(hn::BitCast(du, product), du, scaled + i);
      if (holes) hn::Store(hn::ShiftRight<sizeof(I) * 8 - 1>(hn::BitCast(du, bad)), du, flags + i);
      any_bad = hn::Or(any_bad, bad);
    }
    const bool is_bad = !hn::AllFalse(d, hn::Lt(any_bad, hn::Zero(d)));
    if (!holes && is_bad) break;
    AddUp(scaled, depth, lanes, sums);
    auto result = ToOffsets<O>(d, hn::BitCast(d, hn::Load(du, sums)));
    result = hn::Add(result, rule.batched ? hn::LoadU(d_offset, batches + t) : base);
    if (holes && is_bad) {
      AddUp(flags, depth, lanes, sums);
      const auto bad = hn::Neg(hn::BitCast(d, hn::Load(du, sums)));
      result = hn::Or(result, ToOffsets<O>(d, hn::BroadcastSignBit(bad)));
    }
    use(result, t);
  }
  return t;
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
