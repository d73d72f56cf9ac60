// Gathers short rows while their tuples are resolved. Included once per target by
// move_kernels.cpp.

#if defined(GATHERND_GATHER_SHORT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_GATHER_SHORT_INL_H_
#undef GATHERND_GATHER_SHORT_INL_H_
#else
#define GATHERND_GATHER_SHORT_INL_H_
#endif

#include "cpu/kernels/copy-inl.h"
#include "cpu/kernels/resolve-inl.h"
#include "cpu/kernels/short_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Indices are loaded before the rows of the previous vector are stored. Otherwise a store can lie a
// multiple of 1 MiB and a few bytes before a load: a Xeon then takes the load to depend on the
// store and stalls. Allocators do put results there: gathers took 2 to 4 times as long.
template <class I, class F>
HWY_INLINE size_t ResolveAhead(const TupleRule<I, uint32_t>& rule, const I* tuples, size_t n,
                               F use) {
  constexpr bool kHoles = false, kAhead = hn::MaxLanes(hn::ScalableTag<I>()) > 2;
  return ResolveShort<kHoles, kAhead>(rule, tuples, kNoBatches, n, use);
}

template <class I>
size_t GatherShort(const TupleRule<I, uint32_t>& rule, const I* tuples, const ShortRows& rows,
                   size_t n) {
  const auto source = [&](auto use) HWY_ATTR { return ResolveAhead(rule, tuples, n, use); };
  return DispatchBytes(rows.bytes,
                       [&]<size_t kBytes>() { return MoveShort<kBytes>(rows, source); });
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
