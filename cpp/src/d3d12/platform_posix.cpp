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
std::string open_failure(const char* name) {
  const char* error = dlerror();
  std::string text = error != nullptr ? error : "";
  const std::string subject = std::string(name) + ": ";
  if (text.starts_with(subject)) {
    if (text.find("No such file") != std::string::npos) return "";
    text.erase(0, subject.size());
  }
  // vkd3d 1.2 as Debian 13 builds it, with the C library from 2.41 on.
  if (text.find("executable stack") != std::string::npos) {
    text += "; processes started with GLIBC_TUNABLES=glibc.rtld.execstack=2 may";
  }
  return text;
}

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
