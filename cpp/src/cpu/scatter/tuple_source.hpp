// The tuples of a scatter, resolved tile by tile or known.
#pragma once

#include <algorithm>

#include "core/function_ref.hpp"
#include "cpu/kernels/kernels.hpp"
#include "gathernd/plan.hpp"
#include "runtime/parallel_for.hpp"

namespace gathernd {

// The offsets of the tuples [first, first + n), n <= kTile, in `room` or elsewhere; null to stop.
template <class O>
using OffsetsOf = FunctionRef<const O*(int64_t first, int64_t n, O* room)>;

// For each part p of the tuples: use = start(p), then use(first, n, offsets) for its tiles, in C
// order.
template <class O, class F>
void for_each_tile(const Plan& plan, int64_t parts, OffsetsOf<O> offsets_of, F start) {
  parallel_parts(parts, [&](int64_t p) {
    const auto use = start(p);
    O room[kTile];
    const int64_t end = begin_of_part(plan.tuples, p + 1, parts);
    for (int64_t first = begin_of_part(plan.tuples, p, parts); first < end; first += kTile) {
      const int64_t n = std::min(kTile, end - first);
      const O* offsets = offsets_of(first, n, room);
      if (offsets == nullptr) return;
      use(first, n, offsets);
    }
  });
}

}  // namespace gathernd
