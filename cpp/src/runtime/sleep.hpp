// How a thread waits for another: it looks for a while, then it sleeps.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "hwy/cache_control.h"

namespace gathernd {

// Looks for a while whether `ready`: to sleep and be woken takes longer than many a job.
template <class F>
void spin_until(F ready) {
  constexpr auto kPatience = std::chrono::microseconds(30);
  constexpr int kLooks = 16;  // between two at the clock
  const auto end = std::chrono::steady_clock::now() + kPatience;
  do {
    for (int i = 0; i < kLooks; ++i) {
      if (ready()) return;
      hwy::Pause();
    }
  } while (std::chrono::steady_clock::now() < end);
}

// The sleep of one thread until another has stored what it waits for. (std::atomic's own wait can
// miss that where the system has no futex: libstdc++ 12 looks before it takes its lock.)
class Sleep {
 public:
  template <class F>
  void until(F ready) {
    std::unique_lock lock(mutex_);
    // Before the first look. No plain store: QEMU's ARM on x86-64 lets a load pass that.
    asleep_.exchange(true);
    wake_.wait(lock, ready);
    asleep_ = false;
  }

  // Comes after the store. Who is not asleep by now sees that.
  void end() {
    if (!asleep_) return;
    {
      const std::lock_guard lock(mutex_);
    }  // between its look and its sleep
    wake_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<bool> asleep_ = false;
};

}  // namespace gathernd
