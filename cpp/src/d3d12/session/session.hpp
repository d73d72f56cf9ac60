// The exclusive use of a device for one call.
#pragma once

#include "d3d12/runtime/process.hpp"
#include "d3d12/session/lifetime.hpp"

namespace gathernd::d3d12 {

// Locks the device, and opens it if it is not open. Throws in a forked child, if it is asked to
// stop while it waits for another thread, and if this thread already has the device (a signal
// handler). If the call fails so that the device cannot be used again, the device is lost at the
// end.
class Session {
 public:
  explicit Session(Device& device);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Gpu& gpu() { return *opened_->gpu; }
  Memory& memory() { return *opened_->memory; }

  // All that was recorded has run. Without this call the destructor discards the rest.
  void done() { done_ = true; }

 private:
  void lock();

  const AtWork at_work_;
  Device& device_;
  std::unique_lock<std::timed_mutex> lock_;
  OpenDevice* opened_ = nullptr;
  bool done_ = false;
};

}  // namespace gathernd::d3d12
