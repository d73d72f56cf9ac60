// The life of a device.
//
//   open     Calls use it. There is at most one per adapter; the next call opens it.
//   lost     A call failed so that no other can succeed: a removal, for example, or a wait without
//            an end. Its work may still read and write its memory, so that memory stays.
//   retired  Its work has ended. All of its buffers have released their memory, also those that
//            callers hold, which throw from then on. Then the device is destroyed. On Windows the
//            adapter cannot be opened again before that.
//
// A lost device is retired as soon as possible: at once, or else at a later call. The end of the
// process waits a short time for lost devices that are left. If they still work then, it leaves out
// the exit handlers of their drivers.
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

  std::timed_mutex mutex;                // guards everything below
  std::atomic<std::thread::id> owner{};  // the thread that holds the mutex

  OpenDevice& open();  // opens the device if it is not open
  void lose();         // marks the open device as lost
  uint64_t release();  // releases the free memory of the open device; returns the number of bytes

 private:
  friend bool wait_for_drivers();
  void retire();  // retires the lost devices whose work has ended

  const int index_;
  std::list<OpenDevice> open_;  // one or none; a list, so that losing it allocates nothing
  std::list<OpenDevice> lost_;
  std::atomic<bool> has_lost_{false};
  bool known_ = false;  // whether wait_for_drivers() knows it
  Device* next_ = nullptr;
};

// Waits until no thread uses the drivers and nothing runs on lost devices, but at most one second
// for all of them together. Returns whether that is so.
bool wait_for_drivers();

// As stop_devices, after the interrupt hook has been set.
void stop();

}  // namespace gathernd::d3d12
