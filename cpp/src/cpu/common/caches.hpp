// The caches, and what they hold of a call.
#pragma once

#include <cstdint>

#include "gathernd/plan.hpp"

namespace gathernd {

inline constexpr int64_t kCacheLine = 64;  // bytes

// Bytes of all caches, and of a core's share of them, by a guess. What is larger is written past
// them: what it replaces need not be read.
inline constexpr int64_t kCaches = int64_t{32} << 20, kCoreShare = int64_t{8} << 20;

// Whether so many halves of a core's own cache hold the table.
bool fits_cache(const Plan& plan, uint64_t halves);

// Whether the cache holds it beside what streams through, so that fetching ahead would only cost.
inline bool is_cached(const Plan& plan) { return fits_cache(plan, 1); }

// Whether a processor that moves short rows looks far enough ahead by itself.
inline bool is_near(const Plan& plan) { return fits_cache(plan, 16); }

}  // namespace gathernd
