// What the backend asks of the operating system: platform_posix.cpp, platform_windows.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gathernd::d3d12 {

// The names that a D3D12 runtime may have here, best first, and how to come by one.
std::span<const char* const> runtime_names();
const char* runtime_hint();

// Opens any shared library for good and finds a symbol in it; null where there is none, and then
// `why` says what is wrong with one that is there. The system's own ones come from the system's
// folder: on Windows not from the program's before it.
void* open_library(const char* name, std::string* why);
void* open_system_library(const char* name, std::string* why);
void* find_symbol(void* library, const char* symbol);

int process_id();

// The process calls it when it ends, before what was registered earlier. Not on Windows, where the
// other threads are gone by then, and the system ends what a process has on its devices.
bool call_at_exit(void (*function)());

// Sets a variable of the environment for libraries to read; null removes it. Other threads may read
// the environment meanwhile, but not change it.
void set_variable(const char* name, const char* value);

struct PlatformAdapter {
  std::string name;
  uint64_t memory = 0;      // bytes, the adapter's own
  void* adapter = nullptr;  // for D3D12CreateDevice; never released
};

// By DXGI, graphics cards first where it can tell; empty where there is none.
std::vector<PlatformAdapter> platform_adapters();

// What a device wakes the host by, where all runtimes have the same.
class Event {
 public:
  Event();
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void* handle() const { return handle_; }  // for SetEventOnCompletion; null where there is none
  // Until it is signaled, but for some milliseconds at most; without a handle for this long.
  void wait(std::chrono::microseconds pause);

 private:
  void* handle_;
};

}  // namespace gathernd::d3d12
