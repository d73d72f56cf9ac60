// The two functions for a few tuples.
#pragma once

#include "gathernd/gathernd.hpp"

namespace gathernd {

// Each returns false, with nothing written, if the call needs a plan: its tuples are many, its
// arrays are not simple, a rule is broken, or an index is out of range.
bool gather_few(const Tensor& input, const Indices& indices, const Tensor& output,
                const GatherOptions& options);
bool scatter_few(const Tensor& input, const Indices& indices, const Tensor& updates,
                 const Tensor& output, const ScatterOptions& options);

}  // namespace gathernd
