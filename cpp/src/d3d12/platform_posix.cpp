#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "platform.hpp"

namespace gathernd::d3d12 {

std::span<const char* const> runtime_names() {
  static constexpr const char* kNames[] = {"/usr/lib/wsl/lib/libd3d12.so",
                                           "libvkd3d-proton-d3d12.so", "libvkd3d-utils.so.1"};
  return kNames;
}

const char* runtime_hint() {
  return "WSL2 brings its own; on Debian and Ubuntu install libvkd3d-utils1, on Fedora "
         "libvkd3d-utils, and a Vulkan driver";
}

void* open_library(const char* name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }
void* open_system_library(const char* name) { return open_library(name); }
void* find_symbol(void* library, const char* symbol) { return dlsym(library, symbol); }

int process_id() { return getpid(); }

void set_variable(const char* name, const char* value) {
  if (value != nullptr) setenv(name, value, 1);
  if (value == nullptr) unsetenv(name);
}

std::vector<PlatformAdapter> platform_adapters() { return {}; }

// vkd3d's events have no timeout.
Event::Event() : handle_(nullptr) {}
Event::~Event() = default;
void Event::wait(std::chrono::microseconds pause) { std::this_thread::sleep_for(pause); }

}  // namespace gathernd::d3d12
