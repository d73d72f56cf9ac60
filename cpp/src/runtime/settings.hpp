// What users and tests can set: threads, kept memory, grain. For the SIMD target see targets.hpp.
#pragma once

#include <cstdint>

#include "gathernd/gathernd.hpp"

namespace gathernd {

inline constexpr int kMostThreads = 1024;  // that a call may use

// The number of CPUs that the process may use, by its affinity and by the CPU quota of a container.
int processors();

// The number that set_num_threads() set, without the limit of this thread.
int process_threads();

// Limits the threads that calls of this thread use, in addition to set_num_threads(); 0 removes the
// limit.
void limit_threads(int count);

// Reads these settings from the environment if nothing has read them yet; a bad one throws.
void read_environment();

// Bytes of freed memory that may be kept for the next call. The first call may throw.
uint64_t keep_limit();

// The number of items that is worth a thread, if an item costs about `bytes` of memory traffic.
int64_t grain_for(int64_t bytes);

// For tests: a fixed grain, so that small arrays use threads too; 0 restores the measured ones.
int64_t grain();
void set_grain(int64_t items);
int64_t grain_or(int64_t measured);  // the fixed grain if there is one, else `measured`

}  // namespace gathernd
