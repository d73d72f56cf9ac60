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

template <int kDepth, class I, class O>
size_t ResolveDepth(const TupleRule<I, O>&, const I*, O*, size_t) {
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
template <class D, class V, class O>
HWY_INLINE V Scale(D d, V index, O stride) {
  const auto factor = hn::Set(d, static_cast<hn::TFromD<D> >(stride));
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return hn::Mul(index, factor);
  } else {
    const hn::Repartition<uint32_t, D> d32;
    return hn::BitCast(d, hn::MulEven(hn::BitCast(d32, index), hn::BitCast(d32, factor)));
  }
}

// offsets[0 .. lanes) += sum; where `holes`, lanes whose `bad` is negative become kNoSlice.
template <class D, class V, class O>
HWY_INLINE void AddOffsets(D, V sum, V bad, bool holes, O* offsets) {
  const hn::RebindToUnsigned<D> du;
  const hn::Rebind<O, D> d_offset;
  const auto narrow = [&](V v) {
    if constexpr (sizeof(O) == sizeof(hn::TFromD<D>)) {
      return hn::BitCast(d_offset, v);
    } else {
      return hn::TruncateTo(d_offset, hn::BitCast(du, v));
    }
  };
  auto result = hn::Add(narrow(sum), hn::LoadU(d_offset, offsets));
  if (holes) result = hn::Or(result, narrow(hn::BroadcastSignBit(bad)));
  hn::StoreU(result, d_offset, offsets);
}

template <int kDepth, class I, class O>
size_t ResolveDepth(const TupleRule<I, O>& rule, const I* tuples, O* offsets, size_t n) {
  const hn::ScalableTag<I> d;
  using V = hn::VFromD<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  const size_t depth = kDepth == 0 ? static_cast<size_t>(rule.depth) : kDepth;
  const bool clip = rule.mode == Mode::kClip;
  const bool raise = rule.mode == Mode::kRaise;
  const bool holes = !clip && !raise;
  // A signed index below 0 counts from the end; an unsigned one that looks negative, having half
  // its range behind it, stays so and is out of range.
  const I from_end = rule.is_signed ? static_cast<I>(-1) : I{0};
  const auto each_tuple = hn::Mul(hn::Iota(d, 0), hn::Set(d, static_cast<I>(depth)));

  size_t t = 0;
  for (; t + lanes <= n; t += lanes) {
    V components[kDepth == 0 ? 1 : kDepth];
    const I* here = tuples + t * depth;
    if constexpr (kDepth != 0) LoadComponents<kDepth>(d, here, components);
    V sum = hn::Zero(d);
    V bad = hn::Zero(d);
    for (size_t k = 0; k < depth; ++k) {
      V index;
      if constexpr (kDepth == 0) {
        index = hn::GatherIndex(d, here + k, each_tuple);
        std::atomic_signal_fence(std::memory_order_seq_cst);
      } else {
        index = components[k];
      }
      const V wrap = hn::Set(d, static_cast<I>(rule.dims[k] & from_end));
      const V last = hn::Set(d, static_cast<I>(rule.dims[k] - 1));
      index = hn::Add(index, hn::And(hn::BroadcastSignBit(index), wrap));
      if (clip) {
        const V low = rule.is_signed ? hn::Zero(d) : last;
        index = hn::IfNegativeThenElse(index, low, hn::Min(index, last));
      } else {
        bad = hn::Or(bad, hn::Or(index, hn::Sub(last, index)));
      }
      sum = hn::Add(sum, Scale(d, index, rule.strides[k]));
    }
    if (raise && !hn::AllFalse(d, hn::Lt(bad, hn::Zero(d)))) break;
    AddOffsets(d, sum, bad, holes, offsets + t);
  }
  return t;
}

#endif  // HWY_TARGET == HWY_SCALAR

template <class I, class O>
size_t Resolve(const TupleRule<I, O>& rule, const I* tuples, O* offsets, size_t n) {
  // The offsets may be taken to overwrite a rule in memory, but not a local one.
  const auto resolve = [&]<int kDepth>() {
    TupleRule<I, O> local;
    local.depth = rule.depth;
    local.mode = rule.mode;
    local.is_signed = rule.is_signed;
    for (int k = 0; k < rule.depth; ++k) {
      local.dims[k] = rule.dims[k];
      local.strides[k] = rule.strides[k];
    }
    return ResolveDepth<kDepth>(local, tuples, offsets, n);
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

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
