// Resolves tuples to offsets, and moves rows to and from them. Compiled once per SIMD target.
#include "cpu/kernels/simd_targets.hpp"

#include "cpu/kernels/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/move_kernels.cpp"
#include "hwy/foreach_target.h"  // must come before what is compiled once a target

#include "hwy/highway.h"

#include "cpu/kernels/copy-inl.h"
#include "cpu/kernels/gather_rows-inl.h"
#include "cpu/kernels/gather_short-inl.h"
#include "cpu/kernels/partition-inl.h"
#include "cpu/kernels/resolve-inl.h"
#include "cpu/kernels/scatter_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {

template <class O>
KernelsOf<O> MakeKernels() {
  KernelsOf<O> k{};
  if constexpr (sizeof(O) == 4) {
    k.resolve32 = Resolve<int32_t, O>;
    k.gather_short32 = GatherShort<int32_t>;
    k.gather_short64 = GatherShort<int64_t>;
  }
  k.resolve64 = Resolve<int64_t, O>;
  k.gather = Gather<O>;
  k.scatter = Scatter<O>;
  k.partition = Partition<O>;
  k.partition_words = PartitionWords<O>;
  return k;
}

MoveKernels GetMoves() { return {MakeKernels<uint32_t>(), MakeKernels<uint64_t>(), Copy, Stream}; }

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
