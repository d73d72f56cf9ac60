// The interface that vkd3d has beside D3D12's: it takes the device of Vulkan that it is to use, and
// the functions of Vulkan that it is to call.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace gathernd::d3d12 {

// The device of Vulkan behind one of vkd3d's.
struct VulkanState {
  void* const device;
  std::atomic<bool> lost{false};  // Vulkan has said so
  // A view could not be made, which the functions that make them do not say.
  mutable std::atomic<bool> view_failed{false};
};

// Until nothing of it runs, no submission being under way: of a lost device that is soon.
void wait_until_idle(const VulkanState& state);

class Vkd3d {
 public:
  // Of the opened library; none where it, or Vulkan, lacks something.
  static std::optional<Vkd3d> find(void* library);

  // That of all its devices, made at the first use; null if that fails.
  void* vulkan_instance() const;

  // D3D12CreateDevice for a physical device of that.
  int32_t create_device(void* physical_device, int level, const void* iid, void** device) const;

  // Of an ID3D12Device, kept up to date. vkd3d's thread would ask for the fences of a lost one
  // again and again, and could not be ended; so it hears that they are signaled.
  std::shared_ptr<const VulkanState> watch(void* device) const;

 private:
  Vkd3d() = default;

  int32_t (*create_instance_)(const void* info, void** instance) = nullptr;
  void* (*get_vulkan_instance_)(void* instance) = nullptr;
  int32_t (*create_device_)(const void* info, const void* iid, void** device) = nullptr;
  void* (*get_vulkan_device_)(void* device) = nullptr;
};

}  // namespace gathernd::d3d12
