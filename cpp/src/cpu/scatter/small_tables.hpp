// What the two ways of scattering into a small table share.
#pragma once

#include <algorithm>

#include "cpu/kernels/kernels.hpp"
#include "cpu/scatter/scatter_small.hpp"
#include "runtime/parallel_for.hpp"

namespace gathernd {

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

// Each thread combines its tuples; then the threads' tables are combined, and the table with them
// where an update addresses it: elsewhere another thread of the caller may be writing.
template <class O>
void combine_tables(const Plan& plan, int64_t parts, OffsetsOf<O> offsets_of,
                    FunctionRef<void()> ready, std::byte* table, const std::byte* rows);

}  // namespace gathernd
