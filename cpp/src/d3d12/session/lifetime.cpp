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

template <class F>
void wait_until(F done, Clock::time_point deadline) {
  while (!done() && Clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

OpenDevice& Device::open() {
  retire();
  if (!open_.empty()) return open_.front();
  std::unique_ptr<Gpu> gpu = open_adapter(index_);
  // Registered after the driver's own exit handlers, so it runs before them.
  [[maybe_unused]] static const bool registered = call_at_exit(&wait_for_lost_devices);
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

void wait_for_lost_devices() {
  if (is_forked()) return;
  static const Clock::time_point deadline = Clock::now() + std::chrono::seconds(1);
  for (Device* device = first_known; device != nullptr; device = device->next_) {
    if (!device->has_lost_) continue;
    const std::unique_lock lock(device->mutex, deadline);  // its owner may have ended
    if (!lock) continue;
    const auto ended = [](const OpenDevice& one) { return one.gpu->ended(); };
    wait_until([&] { return std::ranges::all_of(device->lost_, ended); }, deadline);
  }
}

void stop() {
  AtWork::end();
  if (is_forked()) return;  // a child does not have its parent's threads
  wait_until([] { return !AtWork::any(); }, Clock::now() + std::chrono::seconds(10));
  wait_for_lost_devices();
}

}  // namespace gathernd::d3d12
