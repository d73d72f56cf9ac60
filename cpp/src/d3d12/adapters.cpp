#include "adapters.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>

#include "cpu/os.hpp"
#include "cpu/settings.hpp"
#include "gathernd/error.hpp"
#include "library.hpp"
#include "platform.hpp"
#include "process.hpp"
#include "vulkan.hpp"

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

// vkd3d-proton has no adapters of its own: this variable says which device of Vulkan it takes.
constexpr const char* kChoice = "VKD3D_VULKAN_DEVICE";

struct Adapters {
  std::vector<DeviceInfo> infos;
  std::vector<void*> handles;  // for open_gpu()
  std::vector<int> vulkan;     // index of each, where the environment is to say which
};

std::unique_ptr<Gpu> open_with(const Library& runtime, void* adapter) {
#if defined(GATHERND_COM_BOTH)
  if (runtime.convention == Convention::kMicrosoft) {
    return com_microsoft::open_gpu(runtime, adapter);
  }
#endif
  return com_native::open_gpu(runtime, adapter);
}

// Graphics cards first. Who sets the variable himself gets that device alone.
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

// Tells vkd3d-proton which device to take. The environment is the process's: one thread at a time.
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

// Those that have D3D12; where none has, it throws what the last one said.
Adapters try_platform_adapters(const Library& runtime) {
  Adapters result;
  std::vector<PlatformAdapter> all = platform_adapters();
  if (all.empty()) all.push_back({"the default adapter"});
  std::exception_ptr failure;
  for (const PlatformAdapter& one : all) {
    try {
      com_native::check_adapter(runtime, one.adapter);
    } catch (const Error&) {
      failure = std::current_exception();
      continue;
    }
    const std::string name = "d3d12:" + std::to_string(result.infos.size());
    result.infos.push_back({name, one.name, runtime.name, one.memory});
    result.handles.push_back(one.adapter);
  }
  if (result.infos.empty()) std::rethrow_exception(failure);
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
  // To tell it changes the environment, which other threads may read.
  const bool tells = !runtime.vkd3d && choice == nullptr && devices.size() > 1;
  for (const VulkanDevice& device : devices) {
    const std::string name = "d3d12:" + std::to_string(result.infos.size());
    result.infos.push_back({name, device.name, runtime.name, device.memory});
    result.handles.push_back(runtime.vkd3d ? device.handle : nullptr);
    if (tells) result.vulkan.push_back(device.index);
  }
  return result;
}

std::atomic<const Adapters*> known{nullptr};

// The drivers start threads of their own.
Adapters find_without_signals() {
  Adapters result;
  with_signals_blocked([&] { result = find_adapters(); });
  return result;
}

// A child that is forked during the search does not come here: see AtWork.
const Adapters& found() {
  static const auto& result = *new Adapters(find_without_signals());
  known = &result;
  return result;
}

std::unique_ptr<Gpu> open_found(int index) {
  const Adapters& all = found();
  const Library& runtime = library();
  if (index < 0 || static_cast<size_t>(index) >= all.infos.size()) {
    throw Error(ErrorKind::kDevice,
                all.infos.empty()
                    ? "[d3d12] " + runtime.name + " found no device; is there a Vulkan driver?"
                    : "[d3d12] there is no device d3d12:" + std::to_string(index));
  }
  const auto at = static_cast<size_t>(index);
  if (all.vulkan.empty()) return open_with(runtime, all.handles[at]);
  const Choice choice(all.vulkan[at]);
  return open_with(runtime, all.handles[at]);
}

}  // namespace

std::vector<DeviceInfo> adapters() {
  try {
    // A child does not wait for a search that a thread of its parent had begun.
    if (!is_forked()) return found().infos;
    if (const Adapters* const all = known) return all->infos;
  } catch (const Error&) {
    // No runtime, or one without a device.
  }
  return {};
}

std::unique_ptr<Gpu> open_adapter(int index) {
  std::unique_ptr<Gpu> gpu;
  with_signals_blocked([&] { gpu = open_found(index); });
  const DeviceInfo& info = found().infos[static_cast<size_t>(index)];
  gpu->is_lavapipe = info.description.find("llvmpipe") != std::string::npos;
  gpu->pace = gpu->is_lavapipe ? Pace::software(processors()) : Pace::integrated();
  *gpu->spare_memory = info.memory / 16;
  return gpu;
}

}  // namespace gathernd::d3d12
