// The caches, and what of a call they hold.
#pragma once

#include <cstdint>

#include "gathernd/plan.hpp"

namespace gathernd {

inline constexpr int64_t kCacheLine = 64;  // bytes

// True if the table is at most `halves` / 2 times as large as a core's L2 cache.
bool fits_cache(const Plan& plan, uint64_t halves);

// Whether L2 holds the table beside the data that streams through. A prefetch only costs time then.
inline bool is_cached(const Plan& plan) { return fits_cache(plan, 1); }

// Whether a processor that moves short rows looks far enough ahead by itself.
inline bool is_near(const Plan& plan) { return fits_cache(plan, 16); }

}  // namespace gathernd
