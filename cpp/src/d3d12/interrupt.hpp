// What ends a wait for the device early.
#pragma once

#include <chrono>

namespace gathernd::d3d12 {

// GATHERND_D3D12_TIMEOUT in seconds, as it was at the first wait, or five minutes: slow software
// devices are devices too.
std::chrono::milliseconds wait_limit();

// Whether the hook of set_interrupt_check asks to stop.
bool interrupted();

// Throws the Error of a call that was asked to stop.
[[noreturn]] void throw_interrupted();

// A call that is asked to stop. What it has submitted runs to its end, so the device and all that
// lies there stay; then the call throws: at once, or when it is complete if it works in memory that
// the caller holds, which could be half changed before.
class Interrupt {
 public:
  enum class Throws { kAtOnce, kAtEnd, kNever };
  explicit Interrupt(Throws throws = Throws::kNever) : throws_(throws) {}

  void ask() { came_ = came_ || (throws_ != Throws::kNever && interrupted()); }
  void check() const {
    if (came_ && throws_ == Throws::kAtOnce) throw_interrupted();
  }
  void end() const {
    if (came_) throw_interrupted();
  }

 private:
  Throws throws_;
  bool came_ = false;
};

}  // namespace gathernd::d3d12
