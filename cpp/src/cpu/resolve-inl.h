// Tuples to offsets, a vector at a time. Included once a target by move_kernels.cpp.

#if defined(GATHERND_RESOLVE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_RESOLVE_INL_H_
#undef GATHERND_RESOLVE_INL_H_
#else
#define GATHERND_RESOLVE_INL_H_
#endif

#include <atomic>

#include "cpu/kernels.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

template <int kDepth, bool kClip, class I, class O, class F>
size_t ResolveDepth(const TupleRule<I, O>&, const I*, const O*, size_t, F) {
  return 0;
}

#else

// Component k of the tuples from `tuples` on; kDepth 0 stands for any depth.
template <int kDepth, class D, class V>
HWY_INLINE void LoadComponents(D d, const hn::TFromD<D>* tuples, V* v) {
  if constexpr (kDepth == 1) v[0] = hn::LoadU(d, tuples);
  if constexpr (kDepth == 2) hn::LoadInterleaved2(d, tuples, v[0], v[1]);
  if constexpr (kDepth == 3) hn::LoadInterleaved3(d, tuples, v[0], v[1], v[2]);
  if constexpr (kDepth == 4) hn::LoadInterleaved4(d, tuples, v[0], v[1], v[2], v[3]);
  // Another thread may rewrite the indices: what was loaded here is what is checked and used.
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

// index * stride in the lanes of the index: 32-bit ones wrap as they should, 64-bit ones are exact.
template <class D, class V>
HWY_INLINE V Scale(D d, V index, V factor) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return hn::Mul(index, factor);
  } else {
    const hn::Repartition<uint32_t, D> d32;
    return hn::BitCast(d, hn::MulEven(hn::BitCast(d32, index), hn::BitCast(d32, factor)));
  }
}

// The low halves of the lanes where offsets are narrower than indices.
template <class O, class D, class V>
HWY_INLINE auto ToOffsets(D, V v) {
  const hn::Rebind<O, D> d_offset;
  if constexpr (sizeof(O) == sizeof(hn::TFromD<D>)) {
    return hn::BitCast(d_offset, v);
  } else {
    return hn::TruncateTo(d_offset, hn::BitCast(hn::RebindToUnsigned<D>(), v));
  }
}

// What one component of every tuple is checked against and multiplied with.
template <class D>
struct Component {
  template <class O>
  Component(D d, const TupleRule<hn::TFromD<D>, O>& rule, size_t k) {
    using I = hn::TFromD<D>;
    // A signed index below 0 counts from the end; an unsigned one that looks negative, having half
    // its range behind it, stays so and is out of range.
    wrap = hn::Set(d, rule.is_signed ? rule.dims[k] : I{0});
    last = hn::Set(d, static_cast<I>(rule.dims[k] - 1));
    stride = hn::Set(d, static_cast<I>(rule.strides[k]));
  }
  hn::VFromD<D> wrap, last, stride;
};

// Calls use(offsets, t) for the tuples from t on, a vector of them. `batches`: what is added to
// each, where the rule says so.
template <int kDepth, bool kClip, class I, class O, class F>
HWY_INLINE size_t ResolveDepth(const TupleRule<I, O>& rule, const I* tuples, const O* batches,
                               size_t n, F use) {
  const hn::ScalableTag<I> d;
  const hn::Rebind<O, decltype(d)> d_offset;
  using V = hn::VFromD<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  const size_t depth = kDepth == 0 ? static_cast<size_t>(rule.depth) : kDepth;
  const bool raise = rule.mode == Mode::kRaise;
  const bool holes = !kClip && !raise;
  const bool batched = rule.batched;
  const bool is_signed = rule.is_signed;
  const auto base = hn::Set(d_offset, rule.base);
  const auto each_tuple = hn::Mul(hn::Iota(d, 0), hn::Set(d, static_cast<I>(depth)));
  // One for each component, where their number is known; loads in the loop would be as dear as the
  // arithmetic.
  constexpr size_t kKnown = kDepth == 0 ? 1 : kDepth;
  V wraps[kKnown], lasts[kKnown], strides[kKnown];
  for (size_t k = 0; k < kKnown; ++k) {
    const Component<decltype(d)> known(d, rule, k);
    wraps[k] = known.wrap;
    lasts[k] = known.last;
    strides[k] = known.stride;
  }

  size_t t = 0;
  for (; t + lanes <= n; t += lanes) {
    V components[kKnown];
    const I* here = tuples + t * depth;
    if constexpr (kDepth != 0) LoadComponents<kDepth>(d, here, components);
    V sum = hn::Zero(d);
    V bad = hn::Zero(d);
    const auto add = [&](V index, V wrap, V last, V stride) HWY_ATTR {
      index = hn::Add(index, hn::And(hn::BroadcastSignBit(index), wrap));
      if constexpr (kClip) {
        const V low = is_signed ? hn::Zero(d) : last;
        index = hn::IfNegativeThenElse(index, low, hn::Min(index, last));
      } else {
        bad = hn::Or(bad, hn::Or(index, hn::Sub(last, index)));
      }
      sum = hn::Add(sum, Scale(d, index, stride));
    };
    if constexpr (kDepth != 0) {
      for (size_t k = 0; k < kKnown; ++k) add(components[k], wraps[k], lasts[k], strides[k]);
    } else {
      for (size_t k = 0; k < depth; ++k) {
        const V index = hn::GatherIndex(d, here + k, each_tuple);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        const Component<decltype(d)> known(d, rule, k);
        add(index, known.wrap, known.last, known.stride);
      }
    }
    if (raise && !hn::AllFalse(d, hn::Lt(bad, hn::Zero(d)))) break;
    auto result = ToOffsets<O>(d, sum);
    result = hn::Add(result, batched ? hn::LoadU(d_offset, batches + t) : base);
    if (holes) result = hn::Or(result, ToOffsets<O>(d, hn::BroadcastSignBit(bad)));
    use(result, t);
  }
  return t;
}

#endif  // HWY_TARGET == HWY_SCALAR

template <class I, class O, class F>
size_t ForEachResolved(const TupleRule<I, O>& rule, const I* tuples, const O* batches, size_t n,
                       F use) {
  const auto resolve = [&]<int kDepth>() {
    return rule.mode == Mode::kClip ? ResolveDepth<kDepth, true>(rule, tuples, batches, n, use)
                                    : ResolveDepth<kDepth, false>(rule, tuples, batches, n, use);
  };
  switch (rule.depth) {
    case 1:
      return resolve.template operator()<1>();
    case 2:
      return resolve.template operator()<2>();
    case 3:
      return resolve.template operator()<3>();
    case 4:
      return resolve.template operator()<4>();
    default:
      return resolve.template operator()<0>();
  }
}

template <class I, class O>
size_t Resolve(const TupleRule<I, O>& rule, const I* tuples, O* offsets, size_t n) {
  const hn::Rebind<O, hn::ScalableTag<I>> d;
  return ForEachResolved(rule, tuples, offsets, n,
                         [=](auto v, size_t t) HWY_ATTR { hn::StoreU(v, d, offsets + t); });
}

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
    const hn::RebindToSigned<hn::DFromV<decltype(offsets)>> d_offset;
    const auto gather = [=](auto index, size_t at) HWY_ATTR {
      const hn::RebindToUnsigned<hn::DFromV<decltype(index)>> d;
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
