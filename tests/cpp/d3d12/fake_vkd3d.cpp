// Stands for Vulkan with two devices, a third one that lacks much, and for vkd3d (or vkd3d-proton,
// whose calling convention is the platform's, where GATHERND_PROTON is defined): it opens none, but
// its error is the number of the device that it was told to, -1 where it was told another in
// between, or -2 where its arguments are not those of the call.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

#if defined(__x86_64__) && !defined(GATHERND_PROTON)
#define GATHERND_CONVENTION __attribute__((ms_abi))
#else
#define GATHERND_CONVENTION
#endif

namespace {

int told() {
  const char* device = std::getenv("VKD3D_VULKAN_DEVICE");
  return device != nullptr ? std::atoi(device) : -1;
}

int object;
int physical[3];
constexpr int kFeatureLevel11 = 0xb000;

}  // namespace

extern "C" {

int32_t vkCreateInstance(const void*, const void*, void** instance) {
  *instance = &object;
  return 0;
}

int32_t vkEnumeratePhysicalDevices(void*, uint32_t* count, void** devices) {
  *count = 3;
  for (int i = 0; devices != nullptr && i < 3; ++i) devices[i] = &physical[i];
  return 0;
}

// VkPhysicalDeviceProperties in words of 32 bits: its limits begin at the 74th.
void vkGetPhysicalDeviceProperties(void* device, uint32_t* properties) {
  const bool is_third = device == &physical[2];
  std::strcpy(reinterpret_cast<char*>(properties + 5), is_third ? "small" : "large");
  uint32_t* const limits = properties + 74;
  limits[5] = is_third ? 65536 : 1 << 27;  // maxTexelBufferElements
  limits[54] = 32768;                      // maxComputeSharedMemorySize
  limits[58] = is_third ? 128 : 1024;      // maxComputeWorkGroupInvocations
  limits[59] = 1024;                       // maxComputeWorkGroupSize
}
void vkGetPhysicalDeviceMemoryProperties(void*, void*) {}
#if !defined(GATHERND_PROTON)
void vkd3d_create_event() {}
#endif
void D3D12SerializeRootSignature() {}

GATHERND_CONVENTION int32_t D3D12CreateDevice(void* adapter, int level, const void*, void**) {
  const int device = told();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  int result = told() == device ? device : -1;
  if (adapter != nullptr || level != kFeatureLevel11) result = -2;
  return static_cast<int32_t>(0x80040000u | (static_cast<uint32_t>(result) & 0xffffu));
}
}
