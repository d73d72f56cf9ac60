// The life of a device.
//
//   open     at most one of each adapter: that of the calls. The next call opens it.
//   lost     a call failed in a way after which no other can succeed, such as a removal or a wait
//            without an end. What it runs may still read and write all of its memory, which stays.
//   retired  nothing of it runs any more: all of its buffers have dropped their memory, also those
//            that callers hold, which throw from then on, and it is no more. On Windows the adapter
//            cannot be opened again before that.
//
// Lost devices are retired as soon as that can be: where they are lost, else when a call comes. The
// end of the process waits for those that are left, but not long.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "d3d12/memory/memory.hpp"

namespace gathernd::d3d12 {

struct OpenDevice {
  std::unique_ptr<Gpu> gpu;
  std::unique_ptr<Memory> memory;
};

class Device {
 public:
  explicit Device(int index) : index_(index) {}

  std::timed_mutex mutex;                // for all that follows
  std::atomic<std::thread::id> owner{};  // who has it

  OpenDevice& open();  // the open one
  void lose();         // the open one is lost
  uint64_t release();  // the free memory of the open one, if there is one: its bytes

 private:
  friend void wait_for_lost_devices();
  void retire();  // those that can be

  const int index_;
  std::list<OpenDevice> open_;  // one or none: to lose it allocates nothing
  std::list<OpenDevice> lost_;
  std::atomic<bool> has_lost_{false};
  bool known_ = false;  // to wait_for_lost_devices()
  Device* next_ = nullptr;
};

// Until nothing runs on lost devices, but for a second at most for all of them together.
void wait_for_lost_devices();

}  // namespace gathernd::d3d12
