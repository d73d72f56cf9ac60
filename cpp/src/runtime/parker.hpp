// How a thread waits for another: it spins for a while, then sleeps.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "hwy/cache_control.h"

namespace gathernd {

// Polls `ready` for a while, because sleeping and waking up takes longer than many jobs.
template <class F>
void spin_until(F ready) {
  constexpr auto kPatience = std::chrono::microseconds(30);
  constexpr int kLooks = 16;  // polls between two readings of the clock
  const auto end = std::chrono::steady_clock::now() + kPatience;
  do {
    for (int i = 0; i < kLooks; ++i) {
      if (ready()) return;
      hwy::Pause();
    }
  } while (std::chrono::steady_clock::now() < end);
}

// Parks one thread until another has stored what it waits for. (std::atomic::wait can miss the
// store on systems without a futex: libstdc++ 12 checks the value before it takes its lock.)
class Parker {
 public:
  template <class F>
  void park_until(F ready) {
    std::unique_lock lock(mutex_);
    // Before the first check of `ready`. A plain store is not enough: QEMU's ARM on x86-64 lets a
    // later load pass it.
    asleep_.exchange(true);
    wake_.wait(lock, ready);
    asleep_ = false;
  }

  // Call this after the store. A thread that is not asleep by now sees the store.
  void unpark() {
    if (!asleep_) return;
    {
      const std::lock_guard lock(mutex_);
    }  // waits until the other thread is past its check of `ready` and asleep
    wake_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<bool> asleep_ = false;
};

}  // namespace gathernd
