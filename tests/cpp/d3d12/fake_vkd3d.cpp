// Stands for Vulkan with two devices, and for vkd3d: it opens none, but its error is the number of
// the device that it was told to, or -1 where it was told another in between.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>

#if defined(__x86_64__)
#define GATHERND_MICROSOFT __attribute__((ms_abi))
#else
#define GATHERND_MICROSOFT
#endif

namespace {

int told() {
  const char* device = std::getenv("VKD3D_VULKAN_DEVICE");
  return device != nullptr ? std::atoi(device) : -1;
}

int object;

}  // namespace

extern "C" {

int32_t vkCreateInstance(const void*, const void*, void** instance) {
  *instance = &object;
  return 0;
}

int32_t vkEnumeratePhysicalDevices(void*, uint32_t* count, void** devices) {
  *count = 2;
  if (devices != nullptr) devices[0] = devices[1] = &object;
  return 0;
}

void vkGetPhysicalDeviceProperties(void*, void*) {}
void vkGetPhysicalDeviceMemoryProperties(void*, void*) {}
void vkd3d_create_event() {}
void D3D12SerializeRootSignature() {}

GATHERND_MICROSOFT int32_t D3D12CreateDevice(void*, int, const void*, void**) {
  const int device = told();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const int result = told() == device ? device : -1;
  return static_cast<int32_t>(0x80040000u | (static_cast<uint32_t>(result) & 0xffffu));
}
}
