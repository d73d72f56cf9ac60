// The only way to use several threads.
#pragma once

#include <cstdint>

#include "core/function_ref.hpp"

namespace gathernd {

// Calls f(0) ... f(parts - 1), each once, on the calling thread and the pool's. Returns when all
// are done, and rethrows the first exception. It may be called from several threads at once, inside
// f and in a forked child: if the pool is busy, the calling thread does all parts itself.
void parallel_parts(int64_t parts, FunctionRef<void(int64_t)> f);

// The number of parts of at least `grain` items that `n` items make: at most `limit`, at least 1;
// 0 if there are no items.
int64_t count_parts(int64_t n, int64_t grain, int64_t limit);

// The first item of part `part`, if n items are cut into `parts` parts as evenly as possible; n for
// part `parts`.
int64_t begin_of_part(int64_t n, int64_t part, int64_t parts);

// More ranges than threads, so that a slow thread does not keep the others waiting.
inline constexpr int64_t kRangesPerThread = 8;

// Calls f(begin, end) for ranges that cover [0, n). The length of each, except the last, is a
// multiple of `step`. `grain`: the number of items that is worth a thread.
void parallel_for(int64_t n, int64_t grain, int64_t step, FunctionRef<void(int64_t, int64_t)> f);

}  // namespace gathernd
