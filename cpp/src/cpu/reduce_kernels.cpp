// Updates combined in the order of the tuples. Compiled once a SIMD target.
#include "cpu/simd_targets.hpp"

#include "cpu/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/reduce_kernels.cpp"
#include "hwy/foreach_target.h"  // must come before what is compiled once a target

#include "hwy/highway.h"

#include "cpu/reduce-inl.h"
#include "cpu/select-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {

struct ByRows {
  using Fn = ReduceKernels;
  template <class Op, class T>
  static constexpr Fn kFn = {ReduceRows<Op, T>, ReduceElements<Op, T>};
  static constexpr bool kHalfSums = false;  // they round once a destination, so they need runs
};

ReduceKernels SelectRows(Kind kind, Reduction reduction) {
  return SelectOp<ByRows>(kind, reduction);
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gathernd {

HWY_EXPORT(SelectRows);

SelectReduce reduce_kernels(int64_t target) {
  return entry_of(HWY_DISPATCH_TABLE(SelectRows), target);
}

}  // namespace gathernd
#endif  // HWY_ONCE
