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

template <class I>
size_t GatherApart(const TupleRule<I, uint32_t>& rule, const I* const* components,
                   const ShortRows& rows, size_t n) {
  static_assert(kMostApart == 3);
  const auto source = [&](auto use) HWY_ATTR {
    constexpr bool kHoles = false, kAhead = true;  // gather_short-inl.h says why
    const auto run = [&](auto tuples) HWY_ATTR {
      return ResolveVectors<kHoles, kAhead>(rule, tuples, kNoBatches, n, use);
    };
    return rule.depth == 2 ? run(ApartTuples<2, I>{components})
                           : run(ApartTuples<3, I>{components});
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
