// The Vulkan devices of this machine, in Vulkan's order, which is also vkd3d's numbering.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gathernd::d3d12 {

struct VulkanDevice {
  int index = 0;  // as in VKD3D_VULKAN_DEVICE
  void* handle = nullptr;
  std::string name;
  uint64_t memory = 0;  // bytes, the device's own
  bool discrete = false;
  bool nvidia = false;
  std::string lacks;  // what Direct3D 12 guarantees and it lacks; empty if nothing
};

// The devices of a Vulkan instance, or of a new one if `instance` is null. Empty without a loader
// or a driver.
std::vector<VulkanDevice> vulkan_devices(void* instance);

}  // namespace gathernd::d3d12
