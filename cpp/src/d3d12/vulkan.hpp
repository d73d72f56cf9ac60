// The Vulkan devices of this machine, which vkd3d numbers as Vulkan does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gathernd::d3d12 {

struct VulkanDevice {
  int index = 0;  // of VKD3D_VULKAN_DEVICE
  std::string name;
  uint64_t memory = 0;  // bytes, the device's own
  bool discrete = false;
};

// In the order of Vulkan; empty without a loader or a driver.
std::vector<VulkanDevice> vulkan_devices();

}  // namespace gathernd::d3d12
