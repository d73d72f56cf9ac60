// The buffers of one device. Callers may hold some of them longer than the device is open.
#pragma once

#include <exception>
#include <mutex>

namespace gathernd::d3d12 {

class Buffer;

// Identifies a device for its buffers, and outlives it. Thread-safe, because buffers may be
// destroyed on any thread.
class DeviceBuffers {
 public:
  void add(Buffer& buffer);
  void remove(Buffer& buffer);

  // The first reason why the device is lost; null while it is not.
  void lose(std::exception_ptr why);
  std::exception_ptr loss() const;

  // Retires the device: all buffers release their memory.
  void drop();

 private:
  mutable std::mutex mutex_;
  Buffer* first_ = nullptr;
  std::exception_ptr loss_;
};

// Throws Error(kDevice), which says why an array or plan of another device cannot be used.
[[noreturn]] void throw_elsewhere(const DeviceBuffers& home);

}  // namespace gathernd::d3d12
