#include "d3d12/gpu/adapters.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>

#include "d3d12/runtime/library.hpp"
#include "d3d12/runtime/platform.hpp"
#include "d3d12/runtime/process.hpp"
#include "d3d12/runtime/vulkan.hpp"
#include "gathernd/error.hpp"
#include "runtime/os.hpp"
#include "runtime/settings.hpp"

namespace gathernd::d3d12 {

namespace com_native {
std::unique_ptr<Gpu> open_gpu(const Library& library, void* adapter);
void check_adapter(const Library& library, void* adapter);
}  // namespace com_native
#if defined(GATHERND_COM_BOTH)
namespace com_microsoft {
std::unique_ptr<Gpu> open_gpu(const Library& library, void* adapter);
}
#endif

namespace {

// vkd3d-proton has no adapters of its own. This variable chooses its Vulkan device.
constexpr const char* kChoice = "VKD3D_VULKAN_DEVICE";

struct Adapter {
  DeviceInfo info;
  void* handle = nullptr;     // for open_gpu()
  bool pads_buffers = false;  // to the size of a large page: see buffer.cpp
  int vulkan = -1;            // Vulkan index for the environment; -1: leave the environment alone
};

struct Adapters {
  std::vector<Adapter> usable;
  std::vector<UnusableDevice> unusable;

  std::string next_name() const { return "d3d12:" + std::to_string(usable.size()); }
};

std::unique_ptr<Gpu> open_with(const Library& runtime, void* adapter) {
#if defined(GATHERND_COM_BOTH)
  if (runtime.convention == Convention::kMicrosoft) {
    return com_microsoft::open_gpu(runtime, adapter);
  }
#endif
  return com_native::open_gpu(runtime, adapter);
}

// Graphics cards come first. If the user has set the variable, only that device is listed.
std::vector<VulkanDevice> vkd3d_devices(const Library& runtime, const char* choice) {
  void* const instance = runtime.vkd3d ? runtime.vkd3d->vulkan_instance() : nullptr;
  if (runtime.vkd3d && instance == nullptr) return {};
  std::vector<VulkanDevice> devices = vulkan_devices(instance);
  if (choice != nullptr) {
    const int chosen = std::atoi(choice);
    std::erase_if(devices, [&](const VulkanDevice& device) { return device.index != chosen; });
  }
  std::stable_partition(devices.begin(), devices.end(),
                        [](const VulkanDevice& device) { return device.discrete; });
  return devices;
}

// Tells vkd3d-proton which device to use. The environment belongs to the process, so only one
// thread may do this at a time.
class Choice {
 public:
  explicit Choice(int device) { set_variable(kChoice, std::to_string(device).c_str()); }
  ~Choice() { set_variable(kChoice, nullptr); }
  Choice(const Choice&) = delete;
  Choice& operator=(const Choice&) = delete;

 private:
  static inline std::mutex mutex_;
  std::lock_guard<std::mutex> lock_{mutex_};
};

// If no adapter has D3D12, rethrows the error of the last one. The search is then repeated at the
// next use, because the failure may be temporary.
Adapters try_platform_adapters(const Library& runtime) {
  Adapters result;
  std::vector<PlatformAdapter> all = platform_adapters();
  if (all.empty()) all.push_back({"the default adapter"});
  std::exception_ptr failure;
  for (const PlatformAdapter& one : all) {
    try {
      com_native::check_adapter(runtime, one.adapter);
      result.usable.push_back({.info = {result.next_name(), one.name, runtime.name, one.memory},
                               .handle = one.adapter});
    } catch (const Error& error) {
      result.unusable.push_back({one.name, error.what()});
      failure = std::current_exception();
    }
  }
  if (result.usable.empty()) std::rethrow_exception(failure);
  return result;
}

const Library& load() {
  set_loaded(true);
  try {
    return library();
  } catch (...) {
    set_loaded(false);
    throw;
  }
}

Adapters find_adapters() {
  Adapters result;
  const Library& runtime = load();
  if (!runtime.on_vulkan) return try_platform_adapters(runtime);
  const char* choice = std::getenv(kChoice);
  const std::vector<VulkanDevice> devices = vkd3d_devices(runtime, choice);
  // Other threads may read the environment, so it is changed only if there is a choice to make.
  const bool tells = !runtime.vkd3d && choice == nullptr && devices.size() > 1;
  for (const VulkanDevice& device : devices) {
    if (!device.lacks.empty()) {
      result.unusable.push_back({device.name, "its driver has " + device.lacks});
      continue;
    }
    result.usable.push_back({.info = {result.next_name(), device.name, runtime.name, device.memory},
                             .handle = runtime.vkd3d ? device.handle : nullptr,
                             .pads_buffers = device.nvidia,
                             .vulkan = tells ? device.index : -1});
  }
  return result;
}

std::atomic<const Adapters*> known{nullptr};

// The drivers start threads of their own, which must not take the program's signals.
Adapters find_without_signals() {
  Adapters result;
  with_signals_blocked([&] { result = find_adapters(); });
  return result;
}

// A child that was forked during the search never gets here: see AtWork.
const Adapters& found() {
  static const auto& result = *new Adapters(find_without_signals());
  known = &result;
  return result;
}

std::string no_device(const Adapters& all, const Library& runtime) {
  if (all.unusable.empty()) {
    return "[d3d12] " + runtime.name + " found no device; is there a Vulkan driver?";
  }
  std::string message = "[d3d12] " + runtime.name + " found no device that can be used";
  for (const UnusableDevice& device : all.unusable) {
    message += "; " + device.description + ": " + device.reason;
  }
  return message;
}

std::unique_ptr<Gpu> open_found(int index) {
  const Adapters& all = found();
  const Library& runtime = library();
  if (all.usable.empty()) throw Error(ErrorKind::kDevice, no_device(all, runtime));
  if (index < 0 || static_cast<size_t>(index) >= all.usable.size()) {
    throw Error(ErrorKind::kDevice, "[d3d12] there is no device d3d12:" + std::to_string(index));
  }
  const Adapter& adapter = all.usable[static_cast<size_t>(index)];
  if (adapter.vulkan < 0) return open_with(runtime, adapter.handle);
  const Choice choice(adapter.vulkan);
  return open_with(runtime, adapter.handle);
}

// Null if there is no runtime, and in a child that was forked while another thread searched.
const Adapters* find_all() {
  try {
    return is_forked() ? known.load() : &found();
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace

std::vector<DeviceInfo> adapters() {
  std::vector<DeviceInfo> result;
  const Adapters* const all = find_all();
  if (all == nullptr) return result;
  for (const Adapter& adapter : all->usable) result.push_back(adapter.info);
  return result;
}

std::vector<UnusableDevice> unusable_adapters() {
  const Adapters* const all = find_all();
  return all != nullptr ? all->unusable : std::vector<UnusableDevice>();
}

std::unique_ptr<Gpu> open_adapter(int index) {
  std::unique_ptr<Gpu> gpu;
  with_signals_blocked([&] { gpu = open_found(index); });
  const Adapter& adapter = found().usable[static_cast<size_t>(index)];
  gpu->is_lavapipe = adapter.info.description.find("llvmpipe") != std::string::npos;
  gpu->pace = gpu->is_lavapipe ? Pace::software(processors()) : Pace::integrated();
  if (adapter.pads_buffers) *gpu->spare_memory = adapter.info.memory / 16;
  return gpu;
}

}  // namespace gathernd::d3d12
