#include "session.hpp"

#include <chrono>
#include <cstdlib>
#include <thread>

#include "adapters.hpp"
#include "forked.hpp"
#include "gathernd/device.hpp"
#include "gathernd/error.hpp"

namespace gathernd::d3d12 {
namespace {

std::mutex abandoned_mutex;

// Devices that were lost. They may still be at work, so they are destroyed once they are idle, of
// lavapipe's the memory alone; and the process may not end under them, for the driver's code goes
// first. Made by the first session, so that abandon() never fails.
std::list<OpenDevice>& abandoned() {
  static auto* all = new std::list<OpenDevice>;  // never destroyed
  return *all;
}

void free_abandoned() {
  std::lock_guard lock(abandoned_mutex);
  for (auto one = abandoned().begin(); one != abandoned().end();) {
    if (!one->gpu->idle()) {
      ++one;
      continue;
    }
    one->memory = nullptr;
    if (one->gpu->is_lavapipe) one->gpu.release()->release_buffers();
    one = abandoned().erase(one);
  }
}

template <class F>
void wait_until(F done, int milliseconds) {
  for (int i = 0; i < milliseconds && !done(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void wait_for_abandoned() {
  if (is_forked()) return;
  const std::unique_lock lock(abandoned_mutex, std::try_to_lock);
  if (!lock) return;  // on Windows its owner may be gone: other threads end before this runs
  for (const auto& one : abandoned()) {
    wait_until([&] { return one.gpu->idle(); }, 5000);
  }
}

void abandon(Device& device) {
  std::lock_guard lock(abandoned_mutex);
  abandoned().splice(abandoned().end(), device.open);
}

std::atomic<bool> stopped{false};

}  // namespace

AtWork::AtWork() {
  enter_drivers();
  if (!stopped) return;
  leave_drivers();
  throw Error(ErrorKind::kDevice, "[d3d12] the devices were stopped: the process ends");
}

AtWork::~AtWork() { leave_drivers(); }

Session::Session(Device& device) : device_(device), lock_(device.mutex, std::defer_lock) {
  check_not_forked();  // before the lock: a thread of the parent may have held it
  lock();
  free_abandoned();
  if (device.open.empty()) {
    std::unique_ptr<Gpu> opened = open_adapter(device.index);
    // After what the driver registered, so it runs before that.
    [[maybe_unused]] static const int registered = std::atexit(wait_for_abandoned);
    auto memory = std::make_unique<Memory>(*opened);
    device.open.push_back({std::move(opened), std::move(memory)});
  }
  gpu().interrupt() = Interrupt(true);
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
  gpu().interrupt() = Interrupt();
  device_.owner = std::thread::id();
  try {
    if (!done_) gpu().discard();
    if (!done_) memory().discard();
    memory().trim();
  } catch (...) {
    // The device is marked as lost: the next session opens another.
  }
  if (gpu().lost()) abandon(device_);
}

}  // namespace gathernd::d3d12

void gathernd::stop_devices() {
  d3d12::stopped = true;
  set_interrupt_check([] { return true; });
  if (d3d12::is_forked()) return;  // the parent's threads are not here
  d3d12::wait_until([] { return d3d12::threads_at_drivers() == 0; }, 10'000);
}
