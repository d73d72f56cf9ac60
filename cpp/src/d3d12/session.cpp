#include "session.hpp"

#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "adapters.hpp"

#if defined(_WIN32)
#include <process.h>
#else
#include <unistd.h>
#endif

namespace gathernd::d3d12 {
namespace {

long process_id() {
#if defined(_WIN32)
  return _getpid();
#else
  return getpid();
#endif
}

// Devices that were lost. They may still be at work, so they are never destroyed; but the process
// may not end under them, for the driver's code goes first.
struct Abandoned {
  Gpu* gpu;
  long process;
};
std::mutex abandoned_mutex;
std::vector<Abandoned> abandoned;

void wait_for_abandoned() {
  constexpr int kMilliseconds = 5000;
  for (const Abandoned& device : abandoned) {
    for (int i = 0; i < kMilliseconds && device.process == process_id(); ++i) {
      if (device.gpu->idle()) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

void abandon(Device& device) {
  std::lock_guard lock(abandoned_mutex);
  if (abandoned.empty()) std::atexit(wait_for_abandoned);
  abandoned.push_back({device.gpu.release(), device.process});
  static_cast<void>(device.memory.release());
}

}  // namespace

Session::Session(Device& device) : device_(device), lock_(device.mutex) {
  const bool foreign = device.process != process_id();
  if (device.gpu != nullptr && (device.gpu->lost() || foreign)) abandon(device);
  if (device.gpu != nullptr) return;
  device.gpu = open_adapter(device.index);
  device.memory = std::make_unique<Memory>(*device.gpu);
  device.process = process_id();
}

Session::~Session() {
  if (done_) return;
  try {
    device_.gpu->discard();
    device_.memory->forget();
  } catch (...) {
    // The device is marked as lost: the next session opens another.
  }
  if (device_.gpu->lost()) abandon(device_);
}

}  // namespace gathernd::d3d12
