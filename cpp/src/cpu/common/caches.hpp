// The caches, and what of a call they hold.
#pragma once

#include <cstdint>

#include "gathernd/plan.hpp"

namespace gathernd {

inline constexpr int64_t kCacheLine = 64;  // bytes

// Half the bytes of a core's L2.
uint64_t half_cache();

// True if the table is at most `halves` / 2 times as large as L2.
inline bool fits_cache(const Plan& plan, uint64_t halves) {
  return plan.span <= half_cache() * halves / static_cast<uint64_t>(plan.scale);
}

// Whether L2 holds a table beside the data that streams through. A prefetch only costs time then.
inline constexpr uint64_t kCachedHalves = 1;
inline bool is_cached(const Plan& plan) { return fits_cache(plan, kCachedHalves); }

// Whether a processor that moves short rows looks far enough ahead by itself.
inline bool is_near(const Plan& plan) { return fits_cache(plan, 16); }

}  // namespace gathernd
