// Views that overlap.
#pragma once

#include "gathernd/tensor.hpp"

namespace gathernd {

// Whether two views may share a byte (by their extents: true in doubt).
bool may_overlap(const Tensor& a, const Tensor& b);

// Whether they are the same elements in the same places.
bool same_memory(const Tensor& a, const Tensor& b);

// Whether two different elements of one view share a byte. Exact, but true in doubt where the
// strides are such that to tell would take long.
bool overlaps_itself(const Tensor& tensor);

}  // namespace gathernd
