#include "session.hpp"

#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "adapters.hpp"
#include "forked.hpp"
#include "gathernd/device.hpp"
#include "gathernd/error.hpp"

namespace gathernd::d3d12 {
namespace {

// A device that was lost. It may still be at work, so it is destroyed once it is idle, of
// lavapipe's its memory alone; and the process may not end under it, for the driver's code goes
// first.
struct Abandoned {
  std::unique_ptr<Gpu> gpu;
  std::unique_ptr<Memory> memory;
};

std::mutex abandoned_mutex;

std::vector<std::unique_ptr<Abandoned>>& abandoned() {
  static auto* all = new std::vector<std::unique_ptr<Abandoned>>;  // never destroyed
  return *all;
}

void free_abandoned() {
  std::lock_guard lock(abandoned_mutex);
  std::erase_if(abandoned(), [](const auto& one) {
    if (!one->gpu->idle()) return false;
    one->memory = nullptr;
    if (one->gpu->is_lavapipe) one->gpu.release()->release_buffers();
    return true;
  });
}

template <class F>
void wait_until(F done, int milliseconds) {
  for (int i = 0; i < milliseconds && !done(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void wait_for_abandoned() {
  if (is_forked()) return;
  std::lock_guard lock(abandoned_mutex);
  for (const auto& one : abandoned()) {
    wait_until([&] { return one->gpu->idle(); }, 5000);
  }
}

void abandon(Device& device) {
  [[maybe_unused]] static const int registered = std::atexit(wait_for_abandoned);
  auto one = std::make_unique<Abandoned>();
  one->gpu = std::move(device.gpu);
  one->memory = std::move(device.memory);
  std::lock_guard lock(abandoned_mutex);
  abandoned().push_back(std::move(one));
}

std::atomic<int> at_work{0};
std::atomic<bool> stopped{false};

}  // namespace

AtWork::AtWork() {
  ++at_work;
  if (!stopped) return;
  --at_work;
  throw Error(ErrorKind::kDevice, "[d3d12] the devices were stopped: the process ends");
}

AtWork::~AtWork() { --at_work; }

Session::Session(Device& device, Interrupt::Throws throws)
    : device_(device), lock_(device.mutex, std::defer_lock) {
  check_not_forked();  // before the lock: a thread of the parent may have held it
  lock();
  if (device.gpu != nullptr && device.gpu->lost()) abandon(device);
  free_abandoned();
  if (device.gpu == nullptr) {
    std::unique_ptr<Gpu> gpu = open_adapter(device.index);
    device.memory = std::make_unique<Memory>(*gpu);
    device.gpu = std::move(gpu);
  }
  device.gpu->interrupt() = Interrupt(throws);
  device.owner = std::this_thread::get_id();
}

void Session::lock() {
  if (device_.owner == std::this_thread::get_id()) {
    throw Error(ErrorKind::kDevice,
                "[d3d12] the device is at work for a call of this thread, which a signal handler "
                "has interrupted");
  }
  while (!lock_.try_lock_for(std::chrono::milliseconds(50))) {
    if (interrupted()) throw_interrupted();
  }
}

Session::~Session() {
  device_.gpu->interrupt() = Interrupt();
  device_.owner = std::thread::id();
  try {
    if (!done_) device_.gpu->discard();
    if (!done_) device_.memory->restart();
    device_.memory->trim();
  } catch (...) {
    // The device is marked as lost: the next session opens another.
  }
  if (device_.gpu->lost()) abandon(device_);
}

}  // namespace gathernd::d3d12

void gathernd::stop_devices() {
  d3d12::stopped = true;
  set_interrupt_check([] { return true; });
  if (d3d12::is_forked()) return;  // the parent's threads are not here
  d3d12::wait_until([] { return d3d12::at_work == 0; }, 10'000);
}
