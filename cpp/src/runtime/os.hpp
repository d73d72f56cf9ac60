// What the runtime needs from the operating system.
#pragma once

#include <cstdint>

#include "core/function_ref.hpp"

namespace gathernd {

// The number of CPUs that the calling thread may run on; at least 1.
int allowed_processors();

// Bytes of a core's L2 cache; 0 if the system does not say.
uint64_t second_level_cache();

// Calls f with all signals blocked, except those of faults, which go to the thread that caused
// them. A thread created in f inherits that, so the program's signal handlers and sigwait run only
// in the program's own threads.
void with_signals_blocked(FunctionRef<void()> f);

// Calls f in every child forked from now on. Returns false if the system has no fork or no memory.
bool call_in_children(void (*f)());

}  // namespace gathernd
