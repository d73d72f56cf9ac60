// The GIL, which others may have while C++ works.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <thread>

namespace gathernd::bindings {

// Up to CPython 3.13 a thread that asks for the GIL of an interpreter that ends is itself ended, on
// some systems by an exception, which must pass no destructor. It waits for the process's end
// instead, as from 3.14 on.
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
