#include "cpu/placement.hpp"

#if defined(__linux__)
#include <pthread.h>
#endif

namespace gathernd {

#if defined(__linux__)

int current_processor() { return sched_getcpu(); }

Placement::Placement(std::thread::native_handle_type thread) : thread_(thread) {}

void Placement::keep_off(int processor) {
  if (processor < 0 || processor >= CPU_SETSIZE) processor = -1;
  if (processor == off_) return;
  off_ = processor;
  cpu_set_t found;
  if (pthread_getaffinity_np(thread_, sizeof(found), &found) != 0) return;
  if (!CPU_EQUAL(&found, &set_)) allowed_ = found;  // somebody else's choice stands
  set_ = allowed_;
  if (processor >= 0) CPU_CLR(processor, &set_);
  if (CPU_COUNT(&set_) == 0) set_ = allowed_;
  pthread_setaffinity_np(thread_, sizeof(set_), &set_);
}

#else

int current_processor() { return -1; }

Placement::Placement(std::thread::native_handle_type) {}

void Placement::keep_off(int) {}

#endif

}  // namespace gathernd
