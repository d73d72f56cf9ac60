// scatter_nd on the CPU.
#pragma once

#include "gathernd/plan.hpp"
#include "gathernd/tensor.hpp"

namespace gathernd {

template <class O>
void scatter(const Plan& plan, const Tensor& input, const Tensor& indices, const Tensor& updates,
             const Tensor& output);

}  // namespace gathernd
