// What a user or a test can set: threads, grain, target.
#pragma once

#include <cstdint>

#include "gathernd/gathernd.hpp"

namespace gathernd {

struct Kernels;
struct Plan;

// The kernels of the target in use.
const Kernels& kernels();

// Items worth a thread of its own, where one costs about `bytes` of memory traffic.
int64_t grain_for(int64_t bytes);

// Whether a core's own cache holds the table beside what streams through it, so that fetching ahead
// would only cost.
bool is_cached(const Plan& plan);

// Whether the outer caches may hold the table, for which a processor looks ahead far enough itself
// where it gathers single elements.
bool is_near(const Plan& plan);

// For tests: a fixed grain, so that small arrays use threads too; 0 for the measured one.
int64_t grain();
void set_grain(int64_t items);

}  // namespace gathernd
