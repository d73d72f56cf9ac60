// Which update stayed: for each element of a scatter_nd's result, where it came from.
#pragma once

#include <cstdint>

#include "gathernd/gathernd.hpp"

namespace gathernd {

// winners[e], in C order of the elements e of `result`: the position, in C order of the tuples, of
// the update that stayed there, or `none`. `result` is that of scatter_nd with the same arguments;
// for kNone it gives the shape and type alone. kNone: by options.duplicates; kAny is kLast. kMin,
// kMax: the first update that has the result's bits; any NaN stands for any other. Other
// reductions: Error of kValue. `winners` shares no memory with the arguments. The backend is the
// CPU's.
void find_winners(const Tensor& result, const Indices& indices, const Tensor& updates,
                  int64_t* winners, const ScatterOptions& options, int64_t none = -1);

}  // namespace gathernd
