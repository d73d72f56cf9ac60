// The one way to use several threads.
#pragma once

#include <cstdint>

#include "core/function_ref.hpp"

namespace gathernd {

// Calls f(0) ... f(parts - 1), each once, on the caller and the pool's threads; returns when all
// are done and rethrows the first exception. Calls from several threads at once, from inside f and
// from a forked child work: where the pool is busy, the caller does all parts itself.
void parallel_parts(int64_t parts, FunctionRef<void(int64_t)> f);

// How many parts of at least `grain` items `n` items make, at most `limit`; 0 for no items.
int64_t count_parts(int64_t n, int64_t grain, int64_t limit);

// Where part `part` of `parts` of n items begins: they are as even as can be. n for part `parts`.
int64_t begin_of_part(int64_t n, int64_t part, int64_t parts);

// So that a slow thread does not keep the others waiting.
inline constexpr int64_t kRangesPerThread = 8;

// Calls f(begin, end) for ranges that cover [0, n), each (but the last) a multiple of `step` long.
void parallel_for(int64_t n, int64_t grain, int64_t step, FunctionRef<void(int64_t, int64_t)> f);

}  // namespace gathernd
