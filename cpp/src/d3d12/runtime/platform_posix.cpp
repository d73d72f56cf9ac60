#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "d3d12/runtime/plain_stack.hpp"
#include "d3d12/runtime/platform.hpp"

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

void* open_library(const char* name, std::string* why) {
  if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
  *why = dlerror();
  if (void* handle = open_with_plain_stack(name)) return handle;
  if (why->find("executable stack") != std::string::npos) {
    *why += "; processes started with GLIBC_TUNABLES=glibc.rtld.execstack=2 may open it";
  }
  const std::string subject = std::string(name) + ": ";  // musl says more in front of it than glibc
  const size_t begin = why->find(subject);
  if (begin == std::string::npos) return nullptr;
  why->erase(0, begin + subject.size());
  if (why->find("No such file") != std::string::npos) why->clear();
  return nullptr;
}

void* open_system_library(const char* name, std::string* why) { return open_library(name, why); }
void* find_symbol(void* library, const char* symbol) { return dlsym(library, symbol); }

int process_id() { return getpid(); }

bool call_at_exit(bool (*function)()) {
  static bool (*called)() = nullptr;
  called = function;
#ifdef __GLIBC__
  const auto call = [](int status, void*) {
    if (called()) return;
    std::fflush(nullptr);
    _exit(status);
  };
  return on_exit(call, nullptr) == 0;
#else
  return std::atexit([] { called(); }) == 0;
#endif
}

// setenv() may move or free what another thread's getenv() is reading. So a new list of variables
// replaces the old one, which stays as it was. Both are kept for ever.
void set_variable(const char* name, const char* value) {
  const std::string prefix = std::string(name) + "=";
  auto& variables = *new std::vector<char*>;
  for (char** one = environ; one != nullptr && *one != nullptr; ++one) {
    if (!std::string_view(*one).starts_with(prefix)) variables.push_back(*one);
  }
  if (value != nullptr) variables.push_back((new std::string(prefix + value))->data());
  variables.push_back(nullptr);
  std::atomic_ref(environ).store(variables.data(), std::memory_order_release);
}

std::vector<PlatformAdapter> platform_adapters() { return {}; }

// vkd3d's events have no timeout.
Event::Event() : handle_(nullptr) {}
Event::~Event() = default;
void Event::wait(std::chrono::microseconds pause) { std::this_thread::sleep_for(pause); }

}  // namespace gathernd::d3d12
