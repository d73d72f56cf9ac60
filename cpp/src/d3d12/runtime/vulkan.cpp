// Uses four functions of Vulkan 1.0. Their ABI is fixed, so no Vulkan headers are needed.
#include "d3d12/runtime/vulkan.hpp"

#include <cstddef>
#include <cstring>

#include "d3d12/runtime/platform.hpp"

namespace gathernd::d3d12 {
namespace {

using Handle = void*;

struct InstanceCreateInfo {
  int32_t type = 1;
  const void* next = nullptr;
  uint32_t flags = 0;
  const void* application = nullptr;
  uint32_t layer_count = 0;
  const char* const* layers = nullptr;
  uint32_t extension_count = 0;
  const char* const* extensions = nullptr;
};

struct Properties {
  uint32_t api_version, driver_version, vendor, device;
  uint32_t type;
  char name[256];
  uint8_t cache_uuid[16];
  struct alignas(8) {
    uint32_t image_sizes[5];
    uint32_t texel_buffer_elements;
    std::byte others[192];
    uint32_t group_memory;  // bytes of shared memory per group
    uint32_t groups[3];
    uint32_t group_threads;
    uint32_t group_size[3];
    std::byte rest[2048];  // 256 bytes in Vulkan 1.0
  } limits;
};
static_assert(offsetof(Properties, name) == 20);
static_assert(offsetof(Properties, limits) == 296);
static_assert(offsetof(Properties, limits.group_memory) == 296 + 216);
static_assert(offsetof(Properties, limits.group_size) == 296 + 236);

struct MemoryProperties {
  uint32_t type_count;
  uint32_t types[32][2];
  uint32_t heap_count;
  struct {
    uint64_t size;
    uint32_t flags;
  } heaps[16];
};
static_assert(offsetof(MemoryProperties, heaps) == 264);

constexpr uint32_t kDeviceLocal = 1;
constexpr uint32_t kDiscrete = 2;
constexpr uint32_t kNvidia = 0x10de;

struct Loader {
  int32_t (*create_instance)(const InstanceCreateInfo*, const void*, Handle*);
  int32_t (*enumerate)(Handle, uint32_t*, Handle*);
  void (*get_properties)(Handle, Properties*);
  void (*get_memory)(Handle, MemoryProperties*);
};

template <class F>
bool find(void* library, const char* symbol, F* function) {
  *function = reinterpret_cast<F>(find_symbol(library, symbol));
  return *function != nullptr;
}

bool load(Loader* loader) {
  std::string why;
  void* library = open_system_library("libvulkan.so.1", &why);
  return library != nullptr && find(library, "vkCreateInstance", &loader->create_instance) &&
         find(library, "vkEnumeratePhysicalDevices", &loader->enumerate) &&
         find(library, "vkGetPhysicalDeviceProperties", &loader->get_properties) &&
         find(library, "vkGetPhysicalDeviceMemoryProperties", &loader->get_memory);
}

// Direct3D 12 guarantees these limits at feature level 11, and the shaders rely on them. Vulkan
// guarantees less, and vkd3d does not check.
std::string missing_limits(const Properties& device) {
  const struct {
    const char* what;
    uint32_t has, needed;
  } limits[] = {
      {"elements of a buffer view", device.limits.texel_buffer_elements, 1 << 27},
      {"threads of a group", device.limits.group_threads, 1024},
      {"threads of a group along x", device.limits.group_size[0], 1024},
      {"bytes shared by a group", device.limits.group_memory, 32768},
  };
  std::string missing;
  for (const auto& [what, has, needed] : limits) {
    if (has >= needed) continue;
    missing += (missing.empty() ? "" : ", ") + std::to_string(has) + " " + what + " instead of " +
               std::to_string(needed);
  }
  return missing;
}

VulkanDevice describe(const Loader& loader, Handle device, int index) {
  Properties properties = {};
  loader.get_properties(device, &properties);
  MemoryProperties memory = {};
  loader.get_memory(device, &memory);
  VulkanDevice result = {.index = index,
                         .handle = device,
                         .name = properties.name,
                         .discrete = properties.type == kDiscrete,
                         .nvidia = properties.vendor == kNvidia,
                         .lacks = missing_limits(properties)};
  for (uint32_t i = 0; i < memory.heap_count && i < 16; ++i) {
    if ((memory.heaps[i].flags & kDeviceLocal) != 0) result.memory += memory.heaps[i].size;
  }
  return result;
}

}  // namespace

// A new instance is never destroyed, so that the drivers stay loaded: NVIDIA's can be loaded only
// about 25 times.
std::vector<VulkanDevice> vulkan_devices(void* instance) {
  std::vector<VulkanDevice> result;
  Loader loader;
  const InstanceCreateInfo info;
  if (!load(&loader)) return result;
  if (instance == nullptr && loader.create_instance(&info, nullptr, &instance) != 0) return result;
  uint32_t count = 0;
  if (loader.enumerate(instance, &count, nullptr) != 0) return result;
  std::vector<Handle> devices(count);
  if (loader.enumerate(instance, &count, devices.data()) != 0) return result;
  for (uint32_t i = 0; i < count; ++i) {
    result.push_back(describe(loader, devices[i], static_cast<int>(i)));
  }
  return result;
}

}  // namespace gathernd::d3d12
