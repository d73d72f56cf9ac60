// What ends a wait for the device early.
#pragma once

#include <algorithm>
#include <chrono>

namespace gathernd::d3d12 {

using Clock = std::chrono::steady_clock;

// GATHERND_D3D12_TIMEOUT in seconds, as it was at the first wait, or five minutes: slow software
// devices are devices too.
std::chrono::milliseconds wait_limit();

// How long a wait has taken. Of the time since it was last asked no more than a second counts: the
// process was stopped meanwhile, or the machine asleep, and so was the device.
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

// Whether the hook of set_interrupt_check asks to stop.
bool interrupted();

// Throws the Error of a call that was asked to stop.
[[noreturn]] void throw_interrupted();

// A call that can be asked to stop. What it has submitted runs to its end, so the device and all
// that lies there stay; then the call throws. From hold() on it is not asked: it changes memory
// that the caller sees, and to raise when that has changed would make the caller change it twice.
class Interrupt {
 public:
  explicit Interrupt(bool asks = false) : asks_(asks) {}

  void ask() {
    came_ = came_ || (asks_ && interrupted());
    asked_ = Clock::now();
  }
  // Now and then, however short the waits are between which this is called.
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
