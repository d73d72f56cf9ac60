// The D3D12 runtime of this machine: a shared library, opened at the first use.
#pragma once

#include <string>

namespace gathernd::d3d12 {

// How COM methods are called: as the platform's compiler does it, or as Microsoft's. On Linux the
// two differ in methods that return a struct, on x86-64 in all.
enum class Convention { kNative, kMicrosoft };

struct Library {
  std::string name;
  Convention convention = Convention::kNative;
  void* create_device = nullptr;             // D3D12CreateDevice
  void* serialize_root_signature = nullptr;  // D3D12SerializeRootSignature
  bool vkd3d = false;                        // its adapters are Vulkan's
};

// Opens the first runtime there is: GATHERND_D3D12_RUNTIME if it is set, else the known names.
// Throws Error(kDevice) that says what was looked for and how to install it.
const Library& library();

}  // namespace gathernd::d3d12
