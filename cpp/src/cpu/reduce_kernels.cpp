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

// Rows of complex numbers add as rows of their parts, for which there are vectors.
template <class Op, class T>
struct PartOf {
  using Type = T;
};
template <class T>
struct PartOf<Add, Complex<T>> {
  using Type = T;
};
template <class T>
struct PartOf<Sub, Complex<T>> {
  using Type = T;
};

struct ByRows {
  using Fn = ReduceKernels;
  template <class Op, class T>
  static constexpr Fn kFn = {ReduceRows<Op, typename PartOf<Op, T>::Type>, ReduceElements<Op, T>};
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
