// Resolves tuples to offsets, a vector at a time. Included once per target by move_kernels.cpp.

#if defined(GATHERND_RESOLVE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_RESOLVE_INL_H_
#undef GATHERND_RESOLVE_INL_H_
#else
#define GATHERND_RESOLVE_INL_H_
#endif

#include <atomic>

#include "cpu/kernels/resolve_deep-inl.h"
#include "cpu/kernels/resolve_index-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

template <size_t kDepth, Mode kMode, bool kAhead, class I, class O, class F>
size_t ResolveDepth(const TupleRule<I, O>&, const I*, const O*, size_t, F) {
  return 0;
}

template <Mode kMode, class I, class O>
size_t ResolveDeep(const TupleRule<I, O>&, const I*, O*, size_t) {
  return 0;
}

#else

// Component k of the tuples from `tuples` on.
template <size_t kDepth, class D, class V>
HWY_INLINE void LoadComponents(D d, const hn::TFromD<D>* tuples, V* v) {
  if constexpr (kDepth == 1) v[0] = hn::LoadU(d, tuples);
  if constexpr (kDepth == 2) hn::LoadInterleaved2(d, tuples, v[0], v[1]);
  if constexpr (kDepth == 3) hn::LoadInterleaved3(d, tuples, v[0], v[1], v[2]);
  if constexpr (kDepth == 4) hn::LoadInterleaved4(d, tuples, v[0], v[1], v[2], v[3]);
  // Another thread may rewrite the indices. What was loaded here is what is checked and used.
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

// Calls use(offsets, t) for the tuples from t on, a vector at a time. `batches`: what is added to
// each, if the rule is batched. kAhead: loads the next vector first.
template <size_t kDepth, Mode kMode, bool kAhead, class I, class O, class F>
HWY_INLINE size_t ResolveDepth(const TupleRule<I, O>& rule, const I* tuples, const O* batches,
                               size_t n, F use) {
  const hn::ScalableTag<I> d;
  const hn::Rebind<O, decltype(d)> d_offset;
  using V = hn::VFromD<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  if (n < lanes) return 0;
  const bool holes = leaves_holes(rule.mode);
  const bool batched = rule.batched;
  const bool is_signed = rule.is_signed;
  const auto base = hn::Set(d_offset, rule.base);
  V wraps[kDepth], lasts[kDepth], strides[kDepth];
  for (size_t k = 0; k < kDepth; ++k) {
    const Component<I> component(rule, k);
    wraps[k] = hn::Set(d, component.wrap);
    lasts[k] = hn::Set(d, component.last);
    strides[k] = hn::Set(d, component.stride);
  }

  V next[kDepth];
  if constexpr (kAhead) LoadComponents<kDepth>(d, tuples, next);
  size_t t = 0;
  for (; t + lanes <= n; t += lanes) {
    V components[kDepth];
    if constexpr (kAhead) {
      for (size_t k = 0; k < kDepth; ++k) components[k] = next[k];
      // The last vector is loaded twice; its second values are not used.
      LoadComponents<kDepth>(d, tuples + HWY_MIN(t + lanes, n - lanes) * kDepth, next);
    } else {
      LoadComponents<kDepth>(d, tuples + t * kDepth, components);
    }
    for (size_t k = 0; k < kDepth; ++k) FetchLater(tuples + t * kDepth + k * lanes, rule.ahead);
    V sum = hn::Zero(d);
    V bad = hn::Zero(d);
    for (size_t k = 0; k < kDepth; ++k) {
      const V scaled =
          ScaleIndex<kMode>(d, is_signed, components[k], wraps[k], lasts[k], strides[k], bad);
      sum = hn::Add(sum, scaled);
    }
    if (!holes && !hn::AllFalse(d, hn::Lt(bad, hn::Zero(d)))) break;
    auto result = ToOffsets<O>(d, sum);
    result = hn::Add(result, batched ? hn::LoadU(d_offset, batches + t) : base);
    if (holes) result = hn::Or(result, ToOffsets<O>(d, hn::BroadcastSignBit(bad)));
    use(result, t);
  }
  return t;
}

#endif  // HWY_TARGET == HWY_SCALAR

// The same for tuples of up to kShortTuple components.
template <Mode kMode, bool kAhead, class I, class O, class F>
size_t ResolveShort(const TupleRule<I, O>& rule, const I* tuples, const O* batches, size_t n,
                    F use) {
  static_assert(kShortTuple == 4);
  switch (rule.depth) {
    case 1:
      return ResolveDepth<1, kMode, kAhead>(rule, tuples, batches, n, use);
    case 2:
      return ResolveDepth<2, kMode, kAhead>(rule, tuples, batches, n, use);
    case 3:
      return ResolveDepth<3, kMode, kAhead>(rule, tuples, batches, n, use);
    default:
      return ResolveDepth<4, kMode, kAhead>(rule, tuples, batches, n, use);
  }
}

// Calls f.operator()<kMode>() with what ScaleIndex does for the mode.
template <class F>
size_t WithMode(Mode mode, F f) {
  switch (mode) {
    case Mode::kClip:
      return f.template operator()<Mode::kClip>();
    case Mode::kWrap:
      return f.template operator()<Mode::kWrap>();
    default:
      return f.template operator()<Mode::kRaise>();
  }
}

template <class I, class O>
size_t Resolve(const TupleRule<I, O>& rule, const I* tuples, O* offsets, size_t n) {
  const hn::Rebind<O, hn::ScalableTag<I>> d;
  const auto store = [=](auto v, size_t t) HWY_ATTR { hn::StoreU(v, d, offsets + t); };
  return WithMode(rule.mode, [&]<Mode kMode>() {
    return rule.depth <= kShortTuple ? ResolveShort<kMode, false>(rule, tuples, offsets, n, store)
                                     : ResolveDeep<kMode>(rule, tuples, offsets, n);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
