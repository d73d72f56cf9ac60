// gather_nd on the CPU.
#pragma once

#include "gathernd/plan.hpp"
#include "gathernd/tensor.hpp"

namespace gathernd {

// `fresh`: as in Backend.
template <class O>
void gather(const Plan& plan, const Tensor& input, const Indices& indices, const Tensor& output,
            const std::byte* fill_value, bool fresh);

// Gathers tuples that are already resolved.
template <class O>
void gather_resolved(const Plan& plan, const Tensor& input, const O* offsets, const Tensor& output,
                     const std::byte* fill_value);

}  // namespace gathernd
