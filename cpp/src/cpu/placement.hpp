// Where the threads of the pool run.
#pragma once

#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace gathernd {

// The processor that the calling thread is on; -1 where the system has no placement to mend.
int current_processor();

// Keeps one thread off one processor: that of the caller, which is at work there. Linux may wake a
// thread on the processor of the one that wakes it and leave both there for milliseconds, with
// others idle: two threads then take twice as long as one.
class Placement {
 public:
  explicit Placement(std::thread::native_handle_type thread);

  // Until the next call; off none if that is -1. Where it may be otherwise is for the user to say;
  // off its only one it is not kept. Costs a comparison where the processor is that of the call
  // before.
  void keep_off(int processor);

#if defined(__linux__)
 private:
  std::thread::native_handle_type thread_;
  int off_ = -1;
  cpu_set_t allowed_{};  // where it may be, the one that it is kept off included
  cpu_set_t set_{};      // as the last call left it
#endif
};

}  // namespace gathernd
