#include "d3d12/session/lifetime.hpp"

#include <algorithm>
#include <chrono>

#include "d3d12/gpu/adapters.hpp"
#include "d3d12/runtime/platform.hpp"
#include "d3d12/runtime/process.hpp"
#include "gathernd/device.hpp"

namespace gathernd::d3d12 {
namespace {

std::atomic<Device*> first_known{nullptr};

// Returns whether it is done.
template <class F>
bool wait_until(F done, Clock::time_point deadline) {
  while (!done()) {
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace

OpenDevice& Device::open() {
  retire();
  if (!open_.empty()) return open_.front();
  std::unique_ptr<Gpu> gpu = open_adapter(index_);
  // Registered after the driver's own exit handlers, so it runs before them. While the driver still
  // works, they must not run: they destroy what it uses, such as Mesa's compiler.
  [[maybe_unused]] static const bool registered = call_at_exit(&wait_for_drivers);
  if (!known_) {
    next_ = first_known;
    while (!first_known.compare_exchange_weak(next_, this)) {
    }
    known_ = true;
  }
  auto memory = std::make_unique<Memory>(*gpu);
  open_.push_back({std::move(gpu), std::move(memory)});
  return open_.front();
}

uint64_t Device::release() { return open_.empty() ? 0 : open_.front().memory->release(); }

void Device::lose() {
  lost_.splice(lost_.end(), open_);
  has_lost_ = true;
  retire();
}

void Device::retire() {
  for (auto one = lost_.begin(); one != lost_.end();) {
    if (!one->gpu->ended()) {
      ++one;
      continue;
    }
    one->memory = nullptr;
    one->gpu->retire();
    one = lost_.erase(one);
  }
  has_lost_ = !lost_.empty();
}

bool wait_for_drivers() {
  if (is_forked()) return true;
  static const Clock::time_point deadline = Clock::now() + std::chrono::seconds(1);
  bool ended = wait_until([] { return !AtWork::any(); }, deadline);
  for (Device* device = first_known; device != nullptr; device = device->next_) {
    if (!device->has_lost_) continue;
    const std::unique_lock lock(device->mutex, deadline);
    const auto is_idle = [](const OpenDevice& one) { return one.gpu->ended(); };
    ended &=
        lock && wait_until([&] { return std::ranges::all_of(device->lost_, is_idle); }, deadline);
  }
  return ended;
}

void stop() {
  AtWork::end();
  if (is_forked()) return;  // a child does not have its parent's threads
  wait_until([] { return !AtWork::any(); }, Clock::now() + std::chrono::seconds(10));
  wait_for_drivers();
}

}  // namespace gathernd::d3d12
