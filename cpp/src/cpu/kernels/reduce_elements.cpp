// The reductions of single elements whose arithmetic is the same on all SIMD targets, which share
// them: compiled for each, they would be a quarter of all kernels.
#include "cpu/kernels/simd_targets.hpp"  // must come first

#include "cpu/kernels/combinations.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/reduce_elements-inl.h"

namespace gathernd {

ReduceKernels reduce_elements(Kind kind, Reduction reduction) {
  using namespace HWY_NAMESPACE;
  return with_combination(kind, reduction, []<class Op, class T>() -> ReduceKernels {
    if constexpr (kGainsByTarget<T>) {
      return {};
    } else {
      return ElementKernels<Op, T>();
    }
  });
}

}  // namespace gathernd
