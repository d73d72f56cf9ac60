#include "d3d12/runtime/library.hpp"

#include <cstdlib>
#include <string_view>
#include <vector>

#include "d3d12/runtime/platform.hpp"
#include "gathernd/error.hpp"

namespace gathernd::d3d12 {
namespace {

void set_default(const char* name, const char* value) {
  if (std::getenv(name) == nullptr) set_variable(name, value);
}

// A library must not print, nor write files to the current folder, as vkd3d-proton does. Variables
// that the user has set stay as they are.
void silence() {
  set_default("VKD3D_DEBUG", "none");
  set_default("VKD3D_SHADER_DEBUG", "none");
  set_default("VKD3D_SHADER_CACHE_PATH", "0");
}

bool find_entries(void* handle, const char* name, Library* result) {
  result->create_device = find_symbol(handle, "D3D12CreateDevice");
  result->serialize_root_signature = find_symbol(handle, "D3D12SerializeRootSignature");
  result->get_interface = find_symbol(handle, "D3D12GetInterface");
  if (result->create_device == nullptr || result->serialize_root_signature == nullptr) return false;
  result->name = name;
  const bool is_vkd3d = find_symbol(handle, "vkd3d_create_event") != nullptr;
  const std::string_view path = result->name;
  const bool is_proton = path.substr(path.find_last_of("/\\") + 1).starts_with("libvkd3d-proton");
  if (is_proton) result->convention = Convention::kProton;
  if (is_vkd3d) result->convention = Convention::kMicrosoft;
  result->on_vulkan = is_vkd3d || is_proton;
  if (is_vkd3d) result->vkd3d = Vkd3d::find(handle);
  return true;
}

Library open_first() {
  silence();
  std::vector<const char*> names(runtime_names().begin(), runtime_names().end());
  const char* choice = std::getenv("GATHERND_D3D12_RUNTIME");
  const bool forced = choice != nullptr && *choice != '\0';
  if (forced) names.assign(1, choice);
  std::string tried;
  for (const char* name : names) {
    Library result;
    std::string why;
    void* handle = forced ? open_library(name, &why) : open_system_library(name, &why);
    if (handle != nullptr) {
      if (find_entries(handle, name, &result)) return result;
      why = "has no D3D12CreateDevice";
    }
    if (!tried.empty()) tried += ", ";
    tried += name;
    if (!why.empty()) tried += " (" + why + ")";
  }
  throw Error(ErrorKind::kDevice,
              "[d3d12] no D3D12 runtime: looked for " + tried + "; " + runtime_hint());
}

}  // namespace

const Library& library() {
  static const auto& result = *new Library(open_first());  // never destroyed: it stays open
  return result;
}

}  // namespace gathernd::d3d12
