// vkd3d's own interface, next to D3D12's. It lets us choose the Vulkan device that vkd3d uses, and
// replace Vulkan functions that it calls.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace gathernd::d3d12 {

// The Vulkan device behind a vkd3d device.
struct VulkanState {
  void* const device;
  std::atomic<bool> lost{false};  // Vulkan has reported the loss
  // A view could not be created. D3D12's functions that create views do not report that.
  mutable std::atomic<bool> view_failed{false};
};

// Waits until the device is idle, and holds back submissions meanwhile. A lost device is soon idle.
void wait_until_idle(const VulkanState& state);

class Vkd3d {
 public:
  // The interface of an opened library; no value if it or Vulkan lacks a function.
  static std::optional<Vkd3d> find(void* library);

  // The Vulkan instance of all its devices, created at the first use; null if that fails.
  void* vulkan_instance() const;

  // As D3D12CreateDevice, for a physical device of that instance.
  int32_t create_device(void* physical_device, int level, const void* iid, void** device) const;

  // The state of an ID3D12Device, kept up to date. vkd3d's thread would poll the fences of a lost
  // device for ever and could not be ended, so it is told that they are signaled.
  std::shared_ptr<const VulkanState> watch(void* device) const;

 private:
  Vkd3d() = default;

  int32_t (*create_instance_)(const void* info, void** instance) = nullptr;
  void* (*get_vulkan_instance_)(void* instance) = nullptr;
  int32_t (*create_device_)(const void* info, const void* iid, void** device) = nullptr;
  void* (*get_vulkan_device_)(void* device) = nullptr;
};

}  // namespace gathernd::d3d12
