// The devices of all APIs.
#include <algorithm>
#include <atomic>

#include "gathernd/device.hpp"

namespace gathernd {
namespace {

// A new API is one more line.
constexpr DeviceApi& (*kApis[])() = {
    &d3d12_api,
};

std::atomic<bool (*)()> interrupt_check{nullptr};

template <class T, class List>
std::vector<T> concatenate(List list) {
  std::vector<T> result;
  for (const auto& api : kApis) {
    const std::vector<T> some = list(api());
    result.insert(result.end(), some.begin(), some.end());
  }
  return result;
}

}  // namespace

std::vector<DeviceInfo> devices() {
  return concatenate<DeviceInfo>([](DeviceApi& api) { return api.devices(); });
}

std::vector<UnusableDevice> unusable_devices() {
  return concatenate<UnusableDevice>([](DeviceApi& api) { return api.unusable_devices(); });
}

DeviceBackend* find_device(std::string_view name) {
  for (const auto& get : kApis) {
    DeviceApi& api = get();
    if (!name.starts_with(api.name())) continue;
    const std::vector<DeviceInfo> all = api.devices();
    if (all.empty()) api.backend(0).open();  // throws: it says what is missing
    const auto found = std::ranges::find(all, name, &DeviceInfo::name);
    if (found != all.end()) return &api.backend(static_cast<int>(found - all.begin()));
    if (name == api.name()) return &api.backend(0);
  }
  return nullptr;
}

uint64_t release_device_memory() noexcept {
  uint64_t bytes = 0;
  for (const auto& api : kApis) bytes += api().release_memory();
  return bytes;
}

void set_interrupt_check(bool (*check)()) { interrupt_check = check; }

bool is_interrupted() {
  bool (*const check)() = interrupt_check;
  return check != nullptr && check();
}

void stop_devices() {
  set_interrupt_check([] { return true; });
  for (const auto& api : kApis) api().stop();
}

}  // namespace gathernd
