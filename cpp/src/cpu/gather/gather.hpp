// gather_nd on the CPU.
#pragma once

#include "gathernd/plan.hpp"
#include "gathernd/tensor.hpp"

namespace gathernd {

template <class O>
void gather(const Plan& plan, const Tensor& input, const Indices& indices, const Tensor& output,
            const std::byte* fill_value, bool fresh);

// The same for tuples whose offsets are known.
template <class O>
void gather_resolved(const Plan& plan, const Tensor& input, const O* offsets, const Tensor& output,
                     const std::byte* fill_value);

}  // namespace gathernd
