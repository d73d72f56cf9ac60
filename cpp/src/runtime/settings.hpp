// What a user or a test can set: threads, kept memory, grain. The target: targets.hpp.
#pragma once

#include <cstdint>

#include "gathernd/gathernd.hpp"

namespace gathernd {

// Those that the process may use: by its affinity, and by a container's quota of their time.
int processors();

// What set_num_threads() set, without the limit of this thread.
int process_threads();

// The most threads that calls of this thread use, over set_num_threads(); 0 for no limit of its
// own. Returns the limit that there was.
int limit_threads(int count);

// Reads these settings of the environment if they were not needed yet: a bad one throws.
void read_environment();

// Bytes of freed memory that may be kept for the next call. Not to be asked first where nothing may
// throw.
uint64_t keep_limit();

// Items worth a thread of its own, where one costs about `bytes` of memory traffic.
int64_t grain_for(int64_t bytes);

// For tests: a fixed grain, so that small arrays use threads too; 0 for the measured ones.
int64_t grain();
void set_grain(int64_t items);
int64_t grain_or(int64_t measured);  // the fixed one, if there is one

}  // namespace gathernd
