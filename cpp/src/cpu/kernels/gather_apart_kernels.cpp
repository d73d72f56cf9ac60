// Gathers short rows by index components that lie apart. Compiled once per SIMD target.
#include "cpu/kernels/simd_targets.hpp"

#include "cpu/kernels/gather_apart.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gather_apart_kernels.cpp"
#include "hwy/foreach_target.h"  // must come before what is compiled once a target

#include "hwy/highway.h"

#include "cpu/kernels/copy-inl.h"
#include "cpu/kernels/resolve-inl.h"
#include "cpu/kernels/short_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

template <size_t kDepth, Mode kMode, class I, class F>
size_t ResolveApart(const TupleRule<I, uint32_t>&, const I* const*, size_t, F) {
  return 0;
}

#else

// Calls use(offsets, t) for the tuples from t on, a vector at a time. Loads the next vector first:
// gather_short-inl.h says why.
template <size_t kDepth, Mode kMode, class I, class F>
HWY_INLINE size_t ResolveApart(const TupleRule<I, uint32_t>& rule, const I* const* components,
                               size_t n, F use) {
  const hn::ScalableTag<I> d;
  const hn::Rebind<uint32_t, decltype(d)> d_offset;
  using V = hn::VFromD<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  if (n < lanes) return 0;
  const I* from[kDepth];
  V wraps[kDepth], lasts[kDepth], strides[kDepth], next[kDepth];
  const auto load = [&](size_t t) HWY_ATTR {
    for (size_t k = 0; k < kDepth; ++k) next[k] = hn::LoadU(d, from[k] + t);
    // Another thread may rewrite the indices. What was loaded here is what is checked and used.
    std::atomic_signal_fence(std::memory_order_seq_cst);
  };
  for (size_t k = 0; k < kDepth; ++k) {
    const Component<I> component(rule, k);
    from[k] = components[k];
    wraps[k] = hn::Set(d, component.wrap);
    lasts[k] = hn::Set(d, component.last);
    strides[k] = hn::Set(d, component.stride);
  }
  const bool is_signed = rule.is_signed;
  const auto base = hn::Set(d_offset, rule.base);
  load(0);
  size_t t = 0;
  for (; t + lanes <= n; t += lanes) {
    V loaded[kDepth];
    for (size_t k = 0; k < kDepth; ++k) loaded[k] = next[k];
    load(HWY_MIN(t + lanes, n - lanes));  // the last vector is loaded twice
    V sum = hn::Zero(d), bad = hn::Zero(d);
    for (size_t k = 0; k < kDepth; ++k) {
      FetchLater(from[k] + t, rule.ahead);
      sum = hn::Add(
          sum, ScaleIndex<kMode>(d, is_signed, loaded[k], wraps[k], lasts[k], strides[k], bad));
    }
    if (!hn::AllFalse(d, hn::Lt(bad, hn::Zero(d)))) break;
    use(hn::Add(ToOffsets<uint32_t>(d, sum), base), t);
  }
  return t;
}

#endif  // HWY_TARGET == HWY_SCALAR

template <class I>
size_t GatherApart(const TupleRule<I, uint32_t>& rule, const I* const* components,
                   const ShortRows& rows, size_t n) {
  static_assert(kMostApart == 3);
  const auto source = [&](auto use) HWY_ATTR {
    return WithMode(rule.mode, [&]<Mode kMode>() {
      return rule.depth == 2 ? ResolveApart<2, kMode>(rule, components, n, use)
                             : ResolveApart<3, kMode>(rule, components, n, use);
    });
  };
  return DispatchBytes(rows.bytes,
                       [&]<size_t kBytes>() { return MoveShort<kBytes>(rows, source); });
}

ApartKernels GetApart() { return {GatherApart<int32_t>, GatherApart<int64_t>}; }

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gathernd {

HWY_EXPORT(GetApart);

ApartKernels apart_kernels(int64_t target) {
  return entry_of(HWY_DISPATCH_TABLE(GetApart), target)();
}

}  // namespace gathernd
#endif  // HWY_ONCE
