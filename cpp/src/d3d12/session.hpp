// One device of the process, and the exclusive use of it for one call.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "memory.hpp"

namespace gathernd::d3d12 {

struct OpenDevice {
  std::unique_ptr<Gpu> gpu;
  std::unique_ptr<Memory> memory;
};

struct Device {
  explicit Device(int index_) : index(index_) {}

  const int index;
  std::timed_mutex mutex;
  std::atomic<std::thread::id> owner{};  // who holds the mutex
  std::list<OpenDevice> open;            // one or none: to lose it allocates nothing
};

// While a thread runs the drivers' code, or is about to. Throws after stop_devices().
class AtWork {
 public:
  AtWork();
  ~AtWork();
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;
};

// Locks the device and opens it if it is not open or was lost. Throws in a forked child, if it is
// asked to stop while another thread has the device, and if this one has it: a signal handler does.
class Session {
 public:
  explicit Session(Device& device);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Gpu& gpu() { return *device_.open.front().gpu; }
  Memory& memory() { return *device_.open.front().memory; }

  // All that was recorded has run. Without it, the rest is forgotten.
  void done() { done_ = true; }

 private:
  void lock();

  const AtWork at_work_;
  Device& device_;
  std::unique_lock<std::timed_mutex> lock_;
  bool done_ = false;
};

}  // namespace gathernd::d3d12
