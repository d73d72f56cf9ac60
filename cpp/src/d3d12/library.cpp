#include "library.hpp"

#include <cstdlib>
#include <string_view>
#include <vector>

#include "gathernd/error.hpp"

#if defined(_WIN32)
#define NOMINMAX
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace gathernd::d3d12 {
namespace {

#if defined(_WIN32)
constexpr const char* kNames[] = {"d3d12.dll"};
constexpr const char* kHint = "it is part of Windows 10 and newer";
#else
constexpr const char* kNames[] = {"/usr/lib/wsl/lib/libd3d12.so", "libvkd3d-proton-d3d12.so",
                                  "libvkd3d-utils.so.1"};
constexpr const char* kHint =
    "WSL2 brings its own; on Debian and Ubuntu install libvkd3d-utils1, on Fedora libvkd3d-utils, "
    "and a Vulkan driver";
#endif

// A library must not print; who sets the variables himself gets what he asks for.
void silence() {
#if !defined(_WIN32)
  for (const char* name : {"VKD3D_DEBUG", "VKD3D_SHADER_DEBUG"}) setenv(name, "none", 0);
#endif
}

bool open(const char* name, Library* result) {
  void* handle = open_library(name);
  if (handle == nullptr) return false;
  result->create_device = find_symbol(handle, "D3D12CreateDevice");
  result->serialize_root_signature = find_symbol(handle, "D3D12SerializeRootSignature");
  if (result->create_device == nullptr || result->serialize_root_signature == nullptr) return false;
  result->name = name;
  const bool translated = result->name.find("vkd3d") != std::string::npos;
  result->convention = translated ? Convention::kMicrosoft : Convention::kNative;
  result->vkd3d = translated && find_symbol(handle, "vkd3d_create_event") != nullptr;
  return true;
}

Library open_first() {
  silence();
  std::vector<const char*> names(std::begin(kNames), std::end(kNames));
  const char* forced = std::getenv("GATHERND_D3D12_RUNTIME");
  if (forced != nullptr && *forced != '\0') names.assign(1, forced);
  std::string tried;
  for (const char* name : names) {
    Library result;
    if (open(name, &result)) return result;
    tried += (tried.empty() ? "" : ", ") + std::string(name);
  }
  throw Error(ErrorKind::kDevice, "[d3d12] no D3D12 runtime: looked for " + tried + "; " + kHint);
}

}  // namespace

const Library& library() {
  static const Library result = open_first();
  return result;
}

#if defined(_WIN32)
void* open_library(const char* name) { return LoadLibraryA(name); }
void* find_symbol(void* library, const char* symbol) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), symbol));
}
#else
void* open_library(const char* name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }
void* find_symbol(void* library, const char* symbol) { return dlsym(library, symbol); }
#endif

}  // namespace gathernd::d3d12
