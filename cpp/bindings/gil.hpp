// Releases the GIL while C++ code works.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <thread>

namespace gathernd::bindings {

// Up to 3.13, CPython ends a thread that asks for the GIL while the interpreter is ending. On some
// systems it does so by an exception, which must not leave a destructor. The thread waits for the
// end of the process instead, as CPython 3.14 does.
[[noreturn]] inline void wait_for_exit() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

class GilRelease {
 public:
  explicit GilRelease(bool wanted = true) : state_(wanted ? PyEval_SaveThread() : nullptr) {}
  ~GilRelease() {
    if (state_ == nullptr) return;
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {
      wait_for_exit();
    }
  }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace gathernd::bindings
