// One device of the process, and the exclusive use of it for one call.
#pragma once

#include <memory>
#include <mutex>

#include "memory.hpp"

namespace gathernd::d3d12 {

struct Device {
  explicit Device(int index_) : index(index_) {}

  const int index;
  std::mutex mutex;
  std::unique_ptr<Gpu> gpu;
  std::unique_ptr<Memory> memory;
};

// Locks the device and opens it if it is not open or was lost. Throws in a forked child.
class Session {
 public:
  explicit Session(Device& device, Interrupt::Throws throws = Interrupt::Throws::kAtOnce);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Gpu& gpu() { return *device_.gpu; }
  Memory& memory() { return *device_.memory; }

  // All that was recorded has run. Without it, the rest is forgotten. Throws if the call was asked
  // to stop and has not thrown yet.
  void done() {
    done_ = true;
    gpu().interrupt().end();
  }

 private:
  Device& device_;
  std::unique_lock<std::mutex> lock_;
  bool done_ = false;
};

}  // namespace gathernd::d3d12
