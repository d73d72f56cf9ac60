// The Vulkan devices of this machine, in the order of Vulkan, by which vkd3d numbers them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gathernd::d3d12 {

struct VulkanDevice {
  int index = 0;  // of VKD3D_VULKAN_DEVICE
  void* handle = nullptr;
  std::string name;
  uint64_t memory = 0;  // bytes, the device's own
  bool discrete = false;
  bool nvidia = false;
  std::string lacks;  // of what Direct3D 12 guarantees; empty where it has all
};

// Those of an instance of Vulkan; of a new one where it is null. Empty without a loader or a
// driver.
std::vector<VulkanDevice> vulkan_devices(void* instance);

}  // namespace gathernd::d3d12
