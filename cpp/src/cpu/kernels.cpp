// The only file that is compiled once a SIMD target.

// x86-64: not SSSE3 (no machine stops there), nor the variants of AVX-512 (same code). These are
// HWY_SSSE3, HWY_AVX3_DL, HWY_AVX3_ZEN4 and HWY_AVX3_SPR, which not every release of Highway has.
// 64-bit ARM: NEON only, for there are no arrays of SVE's vectors.
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS                            \
  ((1LL << 12) | (1LL << 7) | (1LL << 6) | (1LL << 4) | \
   (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128))
#endif
#include "cpu/kernels.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels.cpp"
#include "hwy/foreach_target.h"  // must come before what is compiled once a target

#include "hwy/highway.h"

#include "cpu/move-inl.h"
#include "cpu/resolve-inl.h"
#include "cpu/select-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {

template <class O>
constexpr KernelsOf<O> MakeKernels() {
  KernelsOf<O> k{};
  if constexpr (sizeof(O) == 4) k.resolve32 = Resolve<int32_t, O>;
  k.resolve64 = Resolve<int64_t, O>;
  k.gather = Gather<O>;
  k.scatter = Scatter<O>;
  k.reduce = Reduce<O>;
  k.reduce_runs = ReduceRuns<O>;
  k.partition = Partition<O>;
  return k;
}

const Kernels* GetKernels() {
  static constexpr Kernels kKernels = {MakeKernels<uint32_t>(), MakeKernels<uint64_t>()};
  return &kKernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gathernd {
namespace {

HWY_EXPORT(GetKernels);

// The table entry of one target, without touching Highway's process-wide choice.
const Kernels* kernels_for(int64_t target) {
  hwy::ChosenTarget chosen;
  chosen.Update(target);
  const auto& table = HWY_DISPATCH_TABLE(GetKernels);
  return table[std::size(table) == 1 ? 0 : chosen.GetIndex()]();
}

std::vector<Target> find_targets() {
  std::vector<Target> found;
  // The baseline runs everywhere, whether or not the machine's list names it.
  const int64_t runnable = (hwy::SupportedTargets() & HWY_TARGETS) | HWY_STATIC_TARGET;
  for (int64_t left = runnable; left != 0; left &= left - 1) {
    const int64_t target = left & ~(left - 1);
    found.push_back({hwy::TargetName(target), kernels_for(target)});
  }
  return found;  // a lower bit is a better target
}

}  // namespace

std::span<const Target> targets() {
  static const std::vector<Target> all = find_targets();
  return all;
}

}  // namespace gathernd
#endif  // HWY_ONCE
