// The tuples of a scatter, resolved tile by tile or known.
#pragma once

#include <algorithm>
#include <atomic>

#include "core/function_ref.hpp"
#include "cpu/kernels/kernels.hpp"
#include "gathernd/plan.hpp"
#include "runtime/parallel_for.hpp"

namespace gathernd {

// The offsets of the tuples [first, first + n), n <= kTile, in `room` or elsewhere; null to stop.
template <class O>
using OffsetsOf = FunctionRef<const O*(int64_t first, int64_t n, O* room)>;

// Calls use(first, n, offsets) for the tiles of the tuples [begin, end); false if it had to stop.
template <class O, class F>
bool use_tiles(int64_t begin, int64_t end, OffsetsOf<O> offsets_of, F use) {
  O room[kTile];
  for (int64_t first = begin; first < end; first += kTile) {
    const int64_t n = std::min(kTile, end - first);
    const O* offsets = offsets_of(first, n, room);
    if (offsets == nullptr) return false;
    use(first, n, offsets);
  }
  return true;
}

// For each part p of the tuples: use = start(p), then use(first, n, offsets) for its tiles, in C
// order.
template <class O, class F>
void for_each_tile(const Plan& plan, int64_t parts, OffsetsOf<O> offsets_of, F start) {
  parallel_parts(parts, [&](int64_t p) {
    const auto use = start(p);
    use_tiles<O>(begin_of_part(plan.tuples, p, parts), begin_of_part(plan.tuples, p + 1, parts),
                 offsets_of, use);
  });
}

// The same if the order does not matter. There are many ranges of tuples, and each part takes the
// next one whenever it has finished one. So no part waits for a thread that is late.
template <class O, class F>
void for_each_tile_in_any_order(const Plan& plan, int64_t parts, OffsetsOf<O> offsets_of, F start) {
  const int64_t tiles = (plan.tuples - 1) / kTile + 1;
  const int64_t ranges = std::min(tiles, parts * kRangesPerThread);
  const auto at = [&](int64_t range) {
    return range == ranges ? plan.tuples : begin_of_part(tiles, range, ranges) * kTile;
  };
  std::atomic<int64_t> next = 0;
  parallel_parts(parts, [&](int64_t p) {
    const auto use = start(p);
    for (int64_t range; (range = next++) < ranges;) {
      if (!use_tiles<O>(at(range), at(range + 1), offsets_of, use)) return;
    }
  });
}

}  // namespace gathernd
