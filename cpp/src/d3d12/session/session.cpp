#include "d3d12/session/session.hpp"

#include <chrono>

#include "gathernd/error.hpp"

namespace gathernd::d3d12 {

Session::Session(Device& device) : device_(device), lock_(device.mutex, std::defer_lock) {
  check_not_forked();  // before the lock: a thread of the parent may have held it
  lock();
  opened_ = &device.open();
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
    if (is_interrupted()) throw_interrupted();
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
    // The device is lost.
  }
  if (gpu().lost()) device_.lose();
}

}  // namespace gathernd::d3d12
