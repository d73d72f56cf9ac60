#include "cpu/kernels.hpp"

#include <vector>

#include "cpu/simd_targets.hpp"
#include "hwy/highway.h"

namespace gathernd {
namespace {

std::vector<Target> find_targets() {
  std::vector<Target> found;
  // The baseline runs everywhere, whether or not the machine's list names it.
  const int64_t runnable = (hwy::SupportedTargets() & HWY_TARGETS) | HWY_STATIC_TARGET;
  for (int64_t left = runnable; left != 0; left &= left - 1) {
    const int64_t target = left & ~(left - 1);
    found.push_back({hwy::TargetName(target),
                     {move_kernels(target), reduce_kernels(target), reduce_runs_kernels(target)}});
  }
  return found;  // a lower bit is a better target
}

}  // namespace

std::span<const Target> targets() {
  // Never destroyed: threads may be in a call when the process ends.
  static const auto& all = *new std::vector<Target>(find_targets());
  return all;
}

}  // namespace gathernd
