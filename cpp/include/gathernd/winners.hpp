// Winners: for each element of a scatter_nd's result, the update that it came from.
#pragma once

#include <cstdint>

#include "gathernd/gathernd.hpp"

namespace gathernd {

// Writes winners[e] for each element e of `result`, in C order: the position, in C order of the
// tuples, of the update that stayed there, or `none`. `result` is that of scatter_nd with the same
// arguments. `winners` shares no memory with the arguments. Runs on the CPU.
// - kNone: options.duplicates decides; kAny is as kLast. `result` gives only the shape and type.
// - kMin, kMax: the first update with the result's bits; all NaNs count as equal.
// - Other reductions throw Error(kValue).
void find_winners(const Tensor& result, const Indices& indices, const Tensor& updates,
                  int64_t* winners, const ScatterOptions& options, int64_t none = -1);

}  // namespace gathernd
