// scatter_nd on the CPU.
#pragma once

#include <span>

#include "cpu/kernels.hpp"
#include "gathernd/plan.hpp"
#include "gathernd/tensor.hpp"

namespace gathernd {

template <class O>
void scatter(const Plan& plan, const Tensor& input, const Tensor& indices, const Tensor& updates,
             const Tensor& output);

// The same for tuples whose offsets are known. Where `sorted` holds them by destination too,
// reductions use it; duplicates="error" and sums of 16-bit floats need it.
template <class O>
void scatter_resolved(const Plan& plan, const Tensor& input, const O* offsets,
                      std::span<const Destination<O>> sorted, const Tensor& updates,
                      const Tensor& output);

}  // namespace gathernd
