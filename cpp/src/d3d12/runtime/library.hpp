// The D3D12 runtime of this machine: a shared library that is opened when it is first used.
#pragma once

#include <optional>
#include <string>

#include "d3d12/runtime/vkd3d.hpp"

namespace gathernd::d3d12 {

// How COM methods are called: kNative as the platform's compiler calls methods, kProton likewise
// but with structs returned through a pointer (vkd3d-proton on Linux), kMicrosoft as Microsoft's
// compiler does.
enum class Convention { kNative, kProton, kMicrosoft };

struct Library {
  std::string name;
  Convention convention = Convention::kNative;
  void* create_device = nullptr;             // D3D12CreateDevice
  void* serialize_root_signature = nullptr;  // D3D12SerializeRootSignature
  void* get_interface = nullptr;             // D3D12GetInterface; null in old runtimes
  bool on_vulkan = false;                    // its adapters are Vulkan's devices
  std::optional<Vkd3d> vkd3d;                // vkd3d's own interface, if it has one
};

// Opens GATHERND_D3D12_RUNTIME if that is set, else the first of the known names that exists.
// Throws Error(kDevice), which says what was looked for and how to install it.
const Library& library();

}  // namespace gathernd::d3d12
