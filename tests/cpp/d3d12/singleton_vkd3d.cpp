// vkd3d with the rule of Windows' D3D12CreateDevice: an adapter has one device, and no other while
// something still refers to that one after it was removed.
#include <dlfcn.h>

#include <cstdint>

#if defined(__x86_64__)
#define GATHERND_CONVENTION __attribute__((ms_abi))
#else
#define GATHERND_CONVENTION
#endif

namespace {

struct Device {
  uint32_t(GATHERND_CONVENTION** methods)(Device*);  // of IUnknown: 1 is AddRef, 2 Release
};

using Create = int32_t(GATHERND_CONVENTION*)(void*, int, const void*, void**);
using Serialize = int32_t(GATHERND_CONVENTION*)(const void*, int, void**, void**);

constexpr auto kRemoved = static_cast<int32_t>(0x887a0005);

void* vkd3d = nullptr;     // the library
Device* device = nullptr;  // has one reference from here
bool removed = false;

template <class F>
F find(const char* name) {
  return reinterpret_cast<F>(dlsym(vkd3d, name));
}

bool has_references() {
  if (device == nullptr) return false;
  device->methods[1](device);
  return device->methods[2](device) > 1;
}

}  // namespace

extern "C" {

void vkd3d_create_event() {}  // what vkd3d is known by

// Comes first: not every C library opens vkd3d by dlopen alone.
void singleton_use(void* library) { vkd3d = library; }

void singleton_remove() { removed = true; }

GATHERND_CONVENTION int32_t D3D12CreateDevice(void* adapter, int level, const void* iid,
                                              void** result) {
  if (has_references()) {
    if (removed) return kRemoved;
    device->methods[1](device);
    *result = device;
    return 0;
  }
  removed = false;
  const int32_t code = find<Create>("D3D12CreateDevice")(adapter, level, iid, result);
  if (code < 0) return code;
  if (device != nullptr) device->methods[2](device);
  device = static_cast<Device*>(*result);
  device->methods[1](device);
  return code;
}

GATHERND_CONVENTION int32_t D3D12SerializeRootSignature(const void* desc, int version, void** blob,
                                                        void** errors) {
  return find<Serialize>("D3D12SerializeRootSignature")(desc, version, blob, errors);
}
}
