// The rows of a table that a call's tuples address. Only these are written back, because the caller
// may share the array with other threads.
#pragma once

#include "d3d12/operators/resolve.hpp"

namespace gathernd::d3d12 {

// Records one bit per row of the table, least significant first, in whole words.
BufferPtr find_touched(Gpu& gpu, Memory& memory, Resolver& resolver);

// Writes these rows of the packed table to the output, after all tuples are known to be good and
// all rows are on the host. The output must have elements.
void download_touched(Gpu& gpu, Memory& memory, Resolver& resolver, Buffer& table,
                      const Tensor& output);

}  // namespace gathernd::d3d12
