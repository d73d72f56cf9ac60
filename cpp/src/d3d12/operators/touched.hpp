// The rows of a table that a call's tuples address: those alone go back to an array that a caller
// shares with other threads.
#pragma once

#include "d3d12/operators/resolve.hpp"

namespace gathernd::d3d12 {

// Records a bit for each row of the table, least significant first, in whole words.
BufferPtr find_touched(Gpu& gpu, Memory& memory, Resolver& resolver);

// Writes those rows of the packed table to the output, which has elements, when all tuples are
// known to be good and all rows are on the host.
void download_touched(Gpu& gpu, Memory& memory, Resolver& resolver, Buffer& table,
                      const Tensor& output);

}  // namespace gathernd::d3d12
