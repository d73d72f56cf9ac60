// The D3D12 runtime of this machine: a shared library, opened at the first use.
#pragma once

#include <optional>
#include <string>

#include "d3d12/runtime/vkd3d.hpp"

namespace gathernd::d3d12 {

// How COM methods are called: as the platform's compiler does it, as vkd3d-proton's are on Linux
// (by that compiler, but structs are returned through a pointer), or as Microsoft's compiler does
// it.
enum class Convention { kNative, kProton, kMicrosoft };

struct Library {
  std::string name;
  Convention convention = Convention::kNative;
  void* create_device = nullptr;             // D3D12CreateDevice
  void* serialize_root_signature = nullptr;  // D3D12SerializeRootSignature
  void* get_interface = nullptr;             // D3D12GetInterface, which old ones have not
  bool on_vulkan = false;                    // its adapters are Vulkan's
  std::optional<Vkd3d> vkd3d;                // its own interface, where it has one
};

// Opens the first runtime there is: GATHERND_D3D12_RUNTIME if it is set, else the known names.
// Throws Error(kDevice) that says what was looked for and how to install it.
const Library& library();

}  // namespace gathernd::d3d12
