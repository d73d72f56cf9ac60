// Which updates are the value that a reduction left.
#pragma once

#include "d3d12/memory/kernels.hpp"
#include "gathernd/dtype.hpp"

namespace gathernd::d3d12 {

// Writes the row of each element of `a` that is the same in `b`, else -1, as int64_t. `rows` rows,
// fewer than 2**32, of `width` elements, whose type has an order on a device.
void match(Gpu& gpu, DType dtype, const BufferPtr& a, const BufferPtr& b,
           const BufferPtr& positions, uint64_t rows, uint64_t width);

}  // namespace gathernd::d3d12
