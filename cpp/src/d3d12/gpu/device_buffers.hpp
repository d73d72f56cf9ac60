// The buffers of one device, some of which callers hold longer than it is open.
#pragma once

#include <exception>
#include <mutex>

namespace gathernd::d3d12 {

class Buffer;

// Outlives the device, and is what a buffer knows it by. Thread-safe: buffers end on any thread.
class DeviceBuffers {
 public:
  void add(Buffer& buffer);
  void remove(Buffer& buffer);

  // The first reason why the device is of no more use; null before that.
  void lose(std::exception_ptr why);
  std::exception_ptr loss() const;

  // The device is retired: all buffers let go of their memory.
  void drop();

 private:
  mutable std::mutex mutex_;
  Buffer* first_ = nullptr;
  std::exception_ptr loss_;
};

// Throws Error(kDevice) that says why an array, or a plan, of another device is not to be had.
[[noreturn]] void throw_elsewhere(const DeviceBuffers& home);

}  // namespace gathernd::d3d12
