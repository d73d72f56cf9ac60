// Resolves tuples of any depth, as many at a time as a vector has lanes. Checks and scales their
// indices in the order in which they lie, then adds up those of each tuple.

#if defined(GATHERND_RESOLVE_DEEP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_RESOLVE_DEEP_INL_H_
#undef GATHERND_RESOLVE_DEEP_INL_H_
#else
#define GATHERND_RESOLVE_DEEP_INL_H_
#endif

#include <atomic>
#include <type_traits>

#include "cpu/kernels/resolve_index-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

// Calls use(i, sum) with the sum of the i-th `depth` values, or of every kStep-th of these.
template <size_t kStep, class U, class F>
HWY_INLINE void AddUp(const U* values, size_t depth, size_t n, F use) {
  for (size_t i = 0; i < n; ++i, values += depth) {
    U sum = values[0];
    for (size_t k = kStep; k < depth; k += kStep) sum += values[k];
    use(i, sum);
  }
}

// As ResolveFn, for tuples of kDepth, or of any depth if that is 0.
template <size_t kDepth, Mode kMode, class I, class O>
HWY_INLINE size_t ResolveDeep(const TupleRule<I, O>& rule, const I* tuples, O* offsets, size_t n) {
  const hn::ScalableTag<I> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  using U = std::make_unsigned_t<I>;
  // Pairs are added as vectors if no pair belongs to two tuples.
  constexpr size_t kPair = kDepth != 0 && kDepth % 2 == 0 && hn::MaxLanes(d) > 1 ? 2 : 1;
  constexpr size_t kMost = hn::MaxLanes(d) * (kDepth != 0 ? kDepth : kMaxRank);
  const size_t depth = kDepth != 0 ? kDepth : static_cast<size_t>(rule.depth);
  const size_t lanes = hn::Lanes(d), indices = depth * lanes;
  const bool holes = leaves_holes(rule.mode), batched = rule.batched;
  const O base = rule.base;
  if (n < lanes) return 0;
  alignas(64) I wraps[kMost], lasts[kMost], strides[kMost];
  for (size_t i = 0; i < indices; ++i) {
    const Component<I> component(rule, i % depth);
    wraps[i] = component.wrap;
    lasts[i] = component.last;
    strides[i] = component.stride;
  }
  alignas(64) U scaled[kMost], flags[kMost];
  size_t t = 0;
  for (; t + lanes <= n; t += lanes) {
    auto any_bad = hn::Zero(d);
    for (size_t i = 0; i < indices; i += lanes) {
      const auto index = hn::LoadU(d, tuples + t * depth + i);
      FetchLater(tuples + t * depth + i, rule.ahead);
      // Another thread may rewrite the indices. What was loaded here is checked and used.
      std::atomic_signal_fence(std::memory_order_seq_cst);
      auto bad = hn::Zero(d);
      auto product = ScaleIndex<kMode>(d, rule.is_signed, index, hn::Load(d, wraps + i),
                                       hn::Load(d, lasts + i), hn::Load(d, strides + i), bad);
      if constexpr (kPair == 2) product = hn::Add(product, hn::Reverse2(d, product));
      hn::Store(hn::BitCast(du, product), du, scaled + i);
      if (holes) hn::Store(hn::ShiftRight<sizeof(I) * 8 - 1>(hn::BitCast(du, bad)), du, flags + i);
      any_bad = hn::Or(any_bad, bad);
    }
    const bool is_bad = !hn::AllFalse(d, hn::Lt(any_bad, hn::Zero(d)));
    if (!holes && is_bad) break;
    O* const to = offsets + t;
    // One by one, because a vector load of what was just stored would wait for all the stores.
    AddUp<kPair>(scaled, depth, lanes, [&](size_t i, U sum) {
      to[i] = static_cast<O>((batched ? to[i] : base) + static_cast<O>(sum));
    });
    if (!holes || !is_bad) continue;
    AddUp<1>(flags, depth, lanes, [&](size_t i, U bad) {
      if (bad != 0) to[i] = kNoSlice<O>;
    });
  }
  return t;
}

// Not inlined, because it takes up to 20 KiB of stack.
template <Mode kMode, class I, class O>
HWY_NOINLINE size_t ResolveDeep(const TupleRule<I, O>& rule, const I* tuples, O* offsets,
                                size_t n) {
  switch (rule.depth) {
    case 5:
      return ResolveDeep<5, kMode>(rule, tuples, offsets, n);
    case 6:
      return ResolveDeep<6, kMode>(rule, tuples, offsets, n);
    case 7:
      return ResolveDeep<7, kMode>(rule, tuples, offsets, n);
    case 8:
      return ResolveDeep<8, kMode>(rule, tuples, offsets, n);
    default:
      return ResolveDeep<0, kMode>(rule, tuples, offsets, n);
  }
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
