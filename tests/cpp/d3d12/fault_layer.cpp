// A layer of Vulkan that makes calls fail, and looks at the sizes of buffers: the loader puts it
// between vkd3d and the driver. It loses devices as Vulkan has it: every later wait and submission
// fails, too.
#include <atomic>
#include <bit>
#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "fault_layer.hpp"

namespace gathernd::testing {
namespace {

using Function = void (*)();
using Find = Function (*)(void* owner, const char* name);
using Word = uintptr_t;  // any argument of the functions below, which have six at most
using Call = int32_t (*)(Word, Word, Word, Word, Word, Word);

constexpr int32_t kNoHostMemory = -1, kNoDeviceMemory = -2, kLost = -4, kMapFailed = -5;

struct Faulty {
  const char* name;
  int32_t result;
  Call real = nullptr;
};

Faulty faulty[] = {
    {"vkWaitForFences", kLost},
    {"vkQueueSubmit", kLost},
    {"vkAllocateMemory", kNoDeviceMemory},
    {"vkCreateBuffer", kNoHostMemory},
    {"vkMapMemory", kMapFailed},
    {"vkCreateBufferView", kNoHostMemory},
    {"vkCreateFence", kNoHostMemory},
    {"vkCreateCommandPool", kNoHostMemory},
    {"vkAllocateCommandBuffers", kNoHostMemory},
    {"vkBeginCommandBuffer", kNoHostMemory},
    {"vkEndCommandBuffer", kNoHostMemory},
    {"vkResetCommandPool", kNoDeviceMemory},
    {"vkCreateShaderModule", kNoHostMemory},
    {"vkCreateComputePipelines", kNoHostMemory},
    {"vkCreateDescriptorSetLayout", kNoHostMemory},
    {"vkCreatePipelineLayout", kNoHostMemory},
};
constexpr int kFaulty = sizeof faulty / sizeof faulty[0];

std::mutex mutex;
std::map<Word, Word> device_of;  // a queue
Word lost = 0;                   // a device
int armed = -1, left = 0;        // which of the functions fails, after how many calls

Find next_instance_function, next_device_function;
void* instance;

// Whether this call of faulty[i] is to fail.
bool fails(int i, Word owner) {
  const std::lock_guard lock(mutex);
  const bool loses = faulty[i].result == kLost;
  const Word device = device_of.contains(owner) ? device_of[owner] : owner;
  if (loses && device == lost) return true;
  if (armed != i || left-- > 0) return false;
  armed = -1;
  if (loses) lost = device;
  return true;
}

// vkd3d asks for a fence when it has submitted it, and only waits for one that is not signaled: the
// first answer is that it is not, so that the waits of a test do not depend on how fast the device
// is.
thread_local bool submitted = false;

int32_t get_fence_status(void* device, Word fence) {
  constexpr int32_t kNotReady = 1;
  if (std::exchange(submitted, false)) return kNotReady;
  const auto real = next_device_function(device, "vkGetFenceStatus");
  return reinterpret_cast<decltype(&get_fence_status)>(real)(device, fence);
}

struct BufferInfo {  // the first of VkBufferCreateInfo
  int32_t type;
  const void* next;
  uint32_t flags;
  uint64_t size;
  uint32_t usage;
};

std::atomic<int> powers_of_two{0};

void count_size(const BufferInfo& buffer) {
  constexpr uint32_t kStorageTexels = 8;
  if ((buffer.usage & kStorageTexels) != 0 && std::has_single_bit(buffer.size)) ++powers_of_two;
}

template <int i>
int32_t call(Word a, Word b, Word c, Word d, Word e, Word f) {
  const std::string_view name = faulty[i].name;
  submitted = name == "vkQueueSubmit";
  if (name == "vkCreateBuffer") count_size(*reinterpret_cast<const BufferInfo*>(b));
  return fails(i, a) ? faulty[i].result : faulty[i].real(a, b, c, d, e, f);
}

template <int i = 0>
Function find_faulty(std::string_view name) {
  if constexpr (i < kFaulty) {
    if (name == faulty[i].name) return reinterpret_cast<Function>(&call<i>);
    return find_faulty<i + 1>(name);
  }
  return nullptr;
}

void get_queue(Word device, uint32_t family, uint32_t index, Word* queue) {
  const auto real = next_device_function(reinterpret_cast<void*>(device), "vkGetDeviceQueue");
  reinterpret_cast<decltype(&get_queue)>(real)(device, family, index, queue);
  const std::lock_guard lock(mutex);
  device_of[*queue] = device;
  if (lost == device) lost = 0;  // another with the address of one that was destroyed
}

// The loader's chains of layers.
struct Link {
  Link* next;
  Find instance_function, device_function;
};
struct ChainInfo {
  int32_t type;
  ChainInfo* next;
  int32_t function;
  Link* link;
};
struct CreateInfo {
  int32_t type;
  ChainInfo* next;
};

Link take_link(CreateInfo* info, int32_t type) {
  ChainInfo* chain = info->next;
  while (chain->type != type || chain->function != 0) chain = chain->next;
  const Link link = *chain->link;
  chain->link = link.next;
  return link;
}

int32_t create_instance(CreateInfo* info, const void* allocator, void** created) {
  const Find find = take_link(info, 47).instance_function;
  next_instance_function = find;
  const auto create =
      reinterpret_cast<decltype(&create_instance)>(find(nullptr, "vkCreateInstance"));
  const int32_t result = create(info, allocator, created);
  instance = *created;
  return result;
}

int32_t create_device(void* physical, CreateInfo* info, const void* allocator, void** created) {
  const Link link = take_link(info, 48);
  const auto create = reinterpret_cast<decltype(&create_device)>(
      link.instance_function(instance, "vkCreateDevice"));
  const int32_t result = create(physical, info, allocator, created);
  if (result != 0) return result;
  next_device_function = link.device_function;
  for (Faulty& one : faulty) {
    one.real = reinterpret_cast<Call>(link.device_function(*created, one.name));
  }
  return result;
}

Function find_device_function(void* device, const char* name) {
  const std::string_view wanted = name;
  if (wanted == "vkGetDeviceProcAddr") return reinterpret_cast<Function>(&find_device_function);
  if (wanted == "vkGetDeviceQueue") return reinterpret_cast<Function>(&get_queue);
  if (wanted == "vkGetFenceStatus") return reinterpret_cast<Function>(&get_fence_status);
  if (const Function found = find_faulty(wanted)) return found;
  return next_device_function(device, name);
}

Function find_instance_function(void* owner, const char* name) {
  const std::string_view wanted = name;
  if (wanted == "vkGetInstanceProcAddr") return reinterpret_cast<Function>(&find_instance_function);
  if (wanted == "vkCreateInstance") return reinterpret_cast<Function>(&create_instance);
  if (wanted == "vkCreateDevice") return reinterpret_cast<Function>(&create_device);
  if (wanted == "vkGetDeviceProcAddr") return reinterpret_cast<Function>(&find_device_function);
  if (wanted == "vkGetDeviceQueue") return reinterpret_cast<Function>(&get_queue);
  if (const Function found = find_faulty(wanted)) return found;
  return next_instance_function != nullptr ? next_instance_function(owner, name) : nullptr;
}

struct Interface {
  int32_t type;
  void* next;
  uint32_t version;
  Find instance_function, device_function, physical_device_function;
};

}  // namespace
}  // namespace gathernd::testing

using namespace gathernd::testing;

extern "C" {

int32_t vkNegotiateLoaderLayerInterfaceVersion(Interface* interface) {
  interface->version = 2;
  interface->instance_function = &find_instance_function;
  interface->device_function = &find_device_function;
  interface->physical_device_function = nullptr;
  return 0;
}

const char* fault_layer_name(int i) { return i < kFaulty ? faulty[i].name : nullptr; }

void fault_layer_arm(int i, int after) {
  const std::lock_guard lock(mutex);
  armed = i;
  left = after;
}

int fault_layer_powers_of_two() { return powers_of_two; }

int fault_layer_disarm() {
  const std::lock_guard lock(mutex);
  const int fired = armed < 0;
  armed = -1;
  return fired;
}
}
