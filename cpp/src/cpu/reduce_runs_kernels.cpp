// Updates combined a destination at a time. Compiled once a SIMD target.
#include "cpu/simd_targets.hpp"

#include "cpu/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/reduce_runs_kernels.cpp"
#include "hwy/foreach_target.h"  // must come before what is compiled once a target

#include "hwy/highway.h"

#include "cpu/reduce-inl.h"
#include "cpu/select-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {

struct ByRuns {
  using Fn = ReduceRunsFn;
  template <class Op, class T>
  static constexpr Fn kFn = ReduceRuns<Op, T>;
  static constexpr bool kHalfSums = true;
};

ReduceRunsFn SelectRuns(Kind kind, Reduction reduction) {
  return SelectOp<ByRuns>(kind, reduction);
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gathernd {

HWY_EXPORT(SelectRuns);

SelectReduceRuns reduce_runs_kernels(int64_t target) {
  return entry_of(HWY_DISPATCH_TABLE(SelectRuns), target);
}

}  // namespace gathernd
#endif  // HWY_ONCE
