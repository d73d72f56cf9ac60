// What the run-time layer asks of the operating system.
#pragma once

#include <cstdint>

#include "core/function_ref.hpp"

namespace gathernd {

// The processors that the calling thread may run on; at least 1.
int allowed_processors();

// Bytes of a core's second-level cache; 0 if the system does not tell.
uint64_t second_level_cache();

// Calls f with all signals blocked but those of faults, which name the thread that made them. A
// thread created in f inherits that: the program's handlers and sigwait stay its own threads'
// business.
void with_signals_blocked(FunctionRef<void()> f);

// Calls f in each forked child from now on. False if the system has no fork, or no memory.
bool call_in_children(void (*f)());

}  // namespace gathernd
