// Resolves tuples to offsets, a vector at a time. Included once per target by move_kernels.cpp.

#if defined(GATHERND_RESOLVE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_RESOLVE_INL_H_
#undef GATHERND_RESOLVE_INL_H_
#else
#define GATHERND_RESOLVE_INL_H_
#endif

#include <algorithm>
#include <atomic>

#include "cpu/kernels/resolve_deep-inl.h"
#include "cpu/kernels/resolve_index-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr const uint32_t* kNoBatches = nullptr;  // all offsets start at the rule's base

// Where indices come from: tuples that lie packed, or, for each component, an array.
template <size_t kDepth, class I>
struct PackedTuples {
  static constexpr size_t kComponents = kDepth;

  const I* tuples;

  template <class D, class V>
  HWY_INLINE void Load(D d, size_t t, V* v) const {
    const I* const at = tuples + t * kDepth;
    if constexpr (kDepth == 1) v[0] = hn::LoadU(d, at);
    if constexpr (kDepth == 2) hn::LoadInterleaved2(d, at, v[0], v[1]);
    if constexpr (kDepth == 3) hn::LoadInterleaved3(d, at, v[0], v[1], v[2]);
    if constexpr (kDepth == 4) hn::LoadInterleaved4(d, at, v[0], v[1], v[2], v[3]);
  }
  HWY_INLINE void Fetch(size_t t, size_t n, size_t ahead) const {
    for (size_t i = 0; i < kDepth * n; i += kLine / sizeof(I)) {
      FetchLater(tuples + t * kDepth + i, ahead);
    }
  }
};

template <size_t kDepth, class I>
struct ApartTuples {
  static constexpr size_t kComponents = kDepth;

  explicit ApartTuples(const I* const* arrays) { std::copy_n(arrays, kDepth, components); }

  template <class D, class V>
  HWY_INLINE void Load(D d, size_t t, V* v) const {
    for (size_t k = 0; k < kDepth; ++k) v[k] = hn::LoadU(d, components[k] + t);
  }
  HWY_INLINE void Fetch(size_t t, size_t, size_t ahead) const {
    for (size_t k = 0; k < kDepth; ++k) FetchLater(components[k] + t, ahead);
  }

  const I* components[kDepth];
};

#if HWY_TARGET == HWY_SCALAR

template <bool kHoles, bool kAhead, class I, class O, class Tuples, class F>
HWY_INLINE size_t ResolveVectors(const TupleRule<I, O>&, Tuples, const O*, size_t, F) {
  return 0;
}

template <bool kHoles, class I, class O>
size_t ResolveDeep(const TupleRule<I, O>&, const I*, O*, size_t) {
  return 0;
}

#else

// Calls use(offsets, t) for the tuples from t on, a vector at a time. `batches`: what is added to
// each, or null. kHoles: bad tuples do not end it. kAhead: loads the next indices first.
template <bool kHoles, bool kAhead, class I, class O, class Tuples, class F>
HWY_INLINE size_t ResolveVectors(const TupleRule<I, O>& rule, const Tuples tuples, const O* batches,
                                 size_t n, F use) {
  constexpr size_t kDepth = Tuples::kComponents, kVectors = IndexVectors<I, O>(kDepth);
  const hn::ScalableTag<I> d;
  const OffsetTag<O, I, kVectors> d_offset;
  using V = hn::VFromD<decltype(d)>;
  const size_t lanes = hn::Lanes(d), step = kVectors * lanes;
  if (n < step) return 0;
  const Range range(rule);
  const size_t ahead = rule.ahead;
  const auto base = hn::Set(d_offset, rule.base);
  V wraps[kDepth], lasts[kDepth], strides[kDepth];
  for (size_t k = 0; k < kDepth; ++k) {
    const Component<I> component(rule, k);
    wraps[k] = hn::Set(d, component.wrap);
    lasts[k] = hn::Set(d, component.last);
    strides[k] = hn::Set(d, component.stride);
  }
  const auto load = [&](size_t t, V* v) HWY_ATTR {
    for (size_t i = 0; i < kVectors; ++i) tuples.Load(d, t + i * lanes, v + i * kDepth);
    // Another thread may rewrite the indices. What was loaded here is what is checked and used.
    std::atomic_signal_fence(std::memory_order_seq_cst);
  };

  V next[kVectors * kDepth];
  if constexpr (kAhead) load(0, next);
  size_t t = 0;
  for (; t + step <= n; t += step) {
    V components[kVectors * kDepth];
    if constexpr (kAhead) {
      for (size_t i = 0; i < kVectors * kDepth; ++i) components[i] = next[i];
      load(HWY_MIN(t + step, n - step), next);  // the last ones are loaded twice, and not used
    } else {
      load(t, components);
    }
    tuples.Fetch(t, step, ahead);
    V sum[kVectors], bad[kVectors];
    for (size_t i = 0; i < kVectors; ++i) {
      sum[i] = bad[i] = hn::Zero(d);
      for (size_t k = 0; k < kDepth; ++k) {
        sum[i] = hn::Add(sum[i], ScaleIndex(d, range, components[i * kDepth + k], wraps[k],
                                            lasts[k], strides[k], bad[i]));
      }
    }
    if constexpr (!kHoles) {
      if (!hn::AllFalse(d, hn::Lt(Either(bad), hn::Zero(d)))) break;
    }
    const auto start = batches != nullptr ? hn::LoadU(d_offset, batches + t) : base;
    use(MakeOffsets<kHoles>(d_offset, d, sum, bad, start), t);
  }
  return t;
}

#endif  // HWY_TARGET == HWY_SCALAR

// The same for packed tuples of up to kShortTuple components.
template <bool kHoles, bool kAhead, class I, class O, class F>
HWY_INLINE size_t ResolveShort(const TupleRule<I, O>& rule, const I* tuples, const O* batches,
                               size_t n, F use) {
  const auto run = [&]<size_t kDepth>() HWY_ATTR {
    return ResolveVectors<kHoles, kAhead>(rule, PackedTuples<kDepth, I>{tuples}, batches, n, use);
  };
  static_assert(kShortTuple == 4);
  switch (rule.depth) {
    case 1:
      return run.template operator()<1>();
    case 2:
      return run.template operator()<2>();
    case 3:
      return run.template operator()<3>();
    default:
      return run.template operator()<4>();
  }
}

template <class I, class O>
size_t Resolve(const TupleRule<I, O>& rule, const I* tuples, O* offsets, size_t n) {
  const auto store = [=](auto v, size_t t)
                         HWY_ATTR { hn::StoreU(v, hn::DFromV<decltype(v)>(), offsets + t); };
  const O* const batches = rule.batched ? offsets : nullptr;
  const auto run = [&]<bool kHoles>() {
    return rule.depth <= kShortTuple ? ResolveShort<kHoles, false>(rule, tuples, batches, n, store)
                                     : ResolveDeep<kHoles>(rule, tuples, offsets, n);
  };
  return leaves_holes(rule.mode) ? run.template operator()<true>()
                                 : run.template operator()<false>();
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
