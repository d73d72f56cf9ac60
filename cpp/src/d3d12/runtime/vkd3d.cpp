// The structs are those of vkd3d 1.0, which later versions also accept.
#include "d3d12/runtime/vkd3d.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/lazy.hpp"
#include "d3d12/runtime/platform.hpp"

namespace gathernd::d3d12 {
namespace {

constexpr int32_t kSuccess = 0;
constexpr int32_t kDeviceLost = -4;
constexpr auto kFailed = static_cast<int32_t>(0x80004005);

using Function = void (*)();
using GetFunction = Function (*)(void* owner, const char* name);

struct InstanceInfo {
  int32_t type = 0;
  const void* next = nullptr;
  int32_t (*signal_event)(void*) = nullptr;
  void* create_thread = nullptr;
  void* join_thread = nullptr;
  size_t wchar_size = 0;
  GetFunction get_function = nullptr;
  const char* const* extensions = nullptr;
  uint32_t extension_count = 0;
};

struct CreateDeviceInfo {
  int32_t type = 1;
  const void* next = nullptr;
  int32_t level = 0;
  void* instance = nullptr;
  const InstanceInfo* instance_info = nullptr;
  void* physical_device = nullptr;
  const char* const* extensions = nullptr;
  uint32_t extension_count = 0;
  void* parent = nullptr;
  uint32_t adapter_luid[2] = {};
};

struct Vulkan {
  GetFunction get_instance_function;
  GetFunction get_device_function;
  int32_t (*wait_for_fences)(void* device, uint32_t count, const uint64_t* fences, uint32_t all,
                             uint64_t timeout);
  int32_t (*get_fence_status)(void* device, uint64_t fence);
  int32_t (*queue_submit)(void* queue, uint32_t count, const void* submits, uint64_t fence);
  int32_t (*create_buffer_view)(void* device, const void* info, const void* allocator,
                                uint64_t* view);
  int32_t (*wait_idle)(void* device);
} vulkan;

template <class F>
bool find_function(void* library, const char* name, F* function) {
  *function = reinterpret_cast<F>(find_symbol(library, name));
  return *function != nullptr;
}

bool load_vulkan() {
  std::string why;
  void* const library = open_system_library("libvulkan.so.1", &why);
  return library != nullptr &&
         find_function(library, "vkGetInstanceProcAddr", &vulkan.get_instance_function) &&
         find_function(library, "vkGetDeviceProcAddr", &vulkan.get_device_function) &&
         find_function(library, "vkWaitForFences", &vulkan.wait_for_fences) &&
         find_function(library, "vkGetFenceStatus", &vulkan.get_fence_status) &&
         find_function(library, "vkQueueSubmit", &vulkan.queue_submit) &&
         find_function(library, "vkCreateBufferView", &vulkan.create_buffer_view) &&
         find_function(library, "vkDeviceWaitIdle", &vulkan.wait_idle);
}

std::mutex states_mutex;

// vkd3d's own threads use them until the process has ended.
constinit ForeverShared<std::vector<std::weak_ptr<VulkanState>>> states;

std::shared_ptr<VulkanState> find_state(void* device) {
  const std::lock_guard lock(states_mutex);
  for (const auto& one : states.get()) {
    auto state = one.lock();
    if (state != nullptr && state->device == device) return state;
  }
  return nullptr;
}

std::mutex submit_mutex;  // held by submissions, and while waiting for a device to be idle

// Answers vkd3d's questions about fences. Once the device is lost, all fences count as signaled.
template <class Ask>
int32_t answer(void* device, Ask ask) {
  const auto state = find_state(device);
  if (state != nullptr && state->lost) return kSuccess;
  const int32_t result = ask();
  if (result != kDeviceLost || state == nullptr) return result;
  wait_until_idle(*state);
  state->lost = true;
  return kSuccess;
}

int32_t wait_for_fences(void* device, uint32_t count, const uint64_t* fences, uint32_t all,
                        uint64_t timeout) {
  return answer(device,
                [&] { return vulkan.wait_for_fences(device, count, fences, all, timeout); });
}

int32_t get_fence_status(void* device, uint64_t fence) {
  return answer(device, [&] { return vulkan.get_fence_status(device, fence); });
}

int32_t create_buffer_view(void* device, const void* info, const void* allocator, uint64_t* view) {
  const int32_t result = vulkan.create_buffer_view(device, info, allocator, view);
  const auto state = result != kSuccess ? find_state(device) : nullptr;
  if (state != nullptr) state->view_failed = true;
  return result;
}

int32_t queue_submit(void* queue, uint32_t count, const void* submits, uint64_t fence) {
  const std::lock_guard lock(submit_mutex);
  return vulkan.queue_submit(queue, count, submits, fence);
}

Function get_device_function(void* device, const char* name) {
  const std::string_view wanted = name;
  if (wanted == "vkWaitForFences") return reinterpret_cast<Function>(&wait_for_fences);
  if (wanted == "vkGetFenceStatus") return reinterpret_cast<Function>(&get_fence_status);
  if (wanted == "vkCreateBufferView") return reinterpret_cast<Function>(&create_buffer_view);
  if (wanted == "vkQueueSubmit") return reinterpret_cast<Function>(&queue_submit);
  return vulkan.get_device_function(device, name);
}

Function get_instance_function(void* instance, const char* name) {
  if (std::string_view(name) == "vkGetDeviceProcAddr") {
    return reinterpret_cast<Function>(&get_device_function);
  }
  return vulkan.get_instance_function(instance, name);
}

// Never destroyed: see vulkan_devices().
void* instance_of(int32_t (*create)(const void*, void**)) {
  static void* const instance = [&] {
    InstanceInfo info;
    info.signal_event = [](void*) { return kSuccess; };  // nobody waits for an event
    info.wchar_size = sizeof(char16_t);
    info.get_function = &get_instance_function;
    void* created = nullptr;
    return create(&info, &created) >= 0 ? created : nullptr;
  }();
  return instance;
}

}  // namespace

std::optional<Vkd3d> Vkd3d::find(void* library) {
  Vkd3d result;
  if (find_function(library, "vkd3d_create_instance", &result.create_instance_) &&
      find_function(library, "vkd3d_instance_get_vk_instance", &result.get_vulkan_instance_) &&
      find_function(library, "vkd3d_create_device", &result.create_device_) &&
      find_function(library, "vkd3d_get_vk_device", &result.get_vulkan_device_) && load_vulkan()) {
    return result;
  }
  return std::nullopt;
}

void* Vkd3d::vulkan_instance() const {
  void* const instance = instance_of(create_instance_);
  return instance != nullptr ? get_vulkan_instance_(instance) : nullptr;
}

int32_t Vkd3d::create_device(void* physical_device, int level, const void* iid,
                             void** device) const {
  CreateDeviceInfo info;
  info.level = level;
  info.instance = instance_of(create_instance_);
  info.physical_device = physical_device;
  return info.instance != nullptr ? create_device_(&info, iid, device) : kFailed;
}

std::shared_ptr<const VulkanState> Vkd3d::watch(void* device) const {
  // Clang 15 cannot make an aggregate with make_shared.
  const std::shared_ptr<VulkanState> state(new VulkanState{get_vulkan_device_(device)});
  const std::lock_guard lock(states_mutex);
  std::erase_if(states.get(), [](const auto& one) { return one.expired(); });
  states.get().push_back(state);
  return state;
}

void wait_until_idle(const VulkanState& state) {
  const std::lock_guard lock(submit_mutex);
  vulkan.wait_idle(state.device);
}

}  // namespace gathernd::d3d12
