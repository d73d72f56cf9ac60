// Tuples to offsets, and rows to and from them. Compiled once a SIMD target.
#include "cpu/simd_targets.hpp"

#include "cpu/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/move_kernels.cpp"
#include "hwy/foreach_target.h"  // must come before what is compiled once a target

#include "hwy/highway.h"

#include "cpu/copy-inl.h"
#include "cpu/gather_elements-inl.h"
#include "cpu/gather_rows-inl.h"
#include "cpu/partition-inl.h"
#include "cpu/resolve-inl.h"
#include "cpu/scatter_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {

template <class I>
GatherElementsFns<I, uint32_t> MakeGatherElements() {
  return {GatherElements<1, I>, GatherElements<2, I>, GatherElements<4, I>, GatherElements<8, I>};
}

template <class O>
KernelsOf<O> MakeKernels() {
  KernelsOf<O> k{};
  if constexpr (sizeof(O) == 4) {
    k.resolve32 = Resolve<int32_t, O>;
    k.gather_elements32 = MakeGatherElements<int32_t>();
    k.gather_elements64 = MakeGatherElements<int64_t>();
  }
  k.resolve64 = Resolve<int64_t, O>;
  k.gather = Gather<O>;
  k.scatter = Scatter<O>;
  k.partition = Partition<O>;
  return k;
}

MoveKernels GetMoves() { return {MakeKernels<uint32_t>(), MakeKernels<uint64_t>(), Stream}; }

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gathernd {

HWY_EXPORT(GetMoves);

MoveKernels move_kernels(int64_t target) {
  return entry_of(HWY_DISPATCH_TABLE(GetMoves), target)();
}

}  // namespace gathernd
#endif  // HWY_ONCE
