// Overlapping views.
#pragma once

#include "gathernd/tensor.hpp"

namespace gathernd {

// Whether two views may share a byte. Compares their extents, so the answer is true in doubt.
bool may_overlap(const Tensor& a, const Tensor& b);

// Whether both views have the same elements at the same addresses.
bool same_memory(const Tensor& a, const Tensor& b);

// Whether two different elements of one view share a byte. Exact, except for strides that would
// take too long to decide: then true.
bool overlaps_itself(const Tensor& tensor);

}  // namespace gathernd
