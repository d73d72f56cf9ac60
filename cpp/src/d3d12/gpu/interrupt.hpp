// Timeouts and interrupts: what ends a wait for the device early.
#pragma once

#include <algorithm>
#include <chrono>

#include "gathernd/device.hpp"

namespace gathernd::d3d12 {

using Clock = std::chrono::steady_clock;

// GATHERND_D3D12_TIMEOUT in seconds, read at the first wait. The default is five minutes, because
// software devices are slow.
std::chrono::milliseconds wait_limit();

// How long a wait has taken. At most one second counts between two calls of until(): after a longer
// gap the process was stopped or the machine asleep, and so was the device.
class WaitTime {
 public:
  explicit WaitTime(Clock::time_point start) : last_(start) {}

  Clock::duration until(Clock::time_point now) {
    constexpr Clock::duration kMost = std::chrono::seconds(1);
    waited_ += std::min(now - last_, kMost);
    last_ = now;
    return waited_;
  }

 private:
  Clock::time_point last_;
  Clock::duration waited_{};
};

// Throws the Error of a call that was asked to stop.
[[noreturn]] void throw_interrupted();

// A call that can be asked to stop. Its submitted work runs to the end, so the device and its
// memory stay usable; then the call throws. After hold() it is no longer asked: it changes memory
// that the caller sees, and a caller who repeats an interrupted call would change it twice.
class Interrupt {
 public:
  explicit Interrupt(bool asks = false) : asks_(asks) {}

  void ask() {
    came_ = came_ || (asks_ && is_interrupted());
    asked_ = Clock::now();
  }
  // Asks at most every 50 ms, however often this is called.
  void ask_at(Clock::time_point now) {
    if (now - asked_ > std::chrono::milliseconds(50)) ask();
  }
  void check() const {
    if (came_) throw_interrupted();
  }
  void hold() {
    check();
    asks_ = false;
  }

 private:
  bool asks_;
  bool came_ = false;
  Clock::time_point asked_ = Clock::now();
};

}  // namespace gathernd::d3d12
