#include "cpu/kernels.hpp"

#include <vector>

#include "cpu/simd_targets.hpp"
#include "hwy/highway.h"
#include "lazy.hpp"

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

constinit Forever<std::vector<Target>> all;

}  // namespace

std::span<const Target> targets() { return all.get(find_targets); }

}  // namespace gathernd
