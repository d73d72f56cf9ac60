// What a user or a test can set: threads, grain, target.
#pragma once

#include <cstdint>

#include "gathernd/gathernd.hpp"

namespace gathernd {

struct Kernels;
struct Plan;

// Those that the process may use.
int processors();

// The kernels of the target in use.
const Kernels& kernels();

// Items worth a thread of its own, where one costs about `bytes` of memory traffic.
int64_t grain_for(int64_t bytes);

// Whether so many halves of a core's own cache hold the table.
bool fits_cache(const Plan& plan, uint64_t halves);

// Whether the cache holds it beside what streams through, so that fetching ahead would only cost.
inline bool is_cached(const Plan& plan) { return fits_cache(plan, 1); }

// Whether a processor that moves short rows looks far enough ahead by itself.
inline bool is_near(const Plan& plan) { return fits_cache(plan, 16); }

// For tests: a fixed grain, so that small arrays use threads too; 0 for the measured one.
int64_t grain();
void set_grain(int64_t items);

}  // namespace gathernd
