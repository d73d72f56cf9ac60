// What the backend needs from the operating system: platform_posix.cpp, platform_windows.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gathernd::d3d12 {

// The possible names of a D3D12 runtime, best first, and how to install one.
std::span<const char* const> runtime_names();
const char* runtime_hint();

// Opens a shared library for ever, and finds a symbol in it. Null if that fails; `why` then says
// what is wrong with the file, if there is one. open_system_library looks only in the system's
// folder on Windows, and not first in the program's.
void* open_library(const char* name, std::string* why);
void* open_system_library(const char* name, std::string* why);
void* find_symbol(void* library, const char* symbol);

int process_id();

// Calls `function` when the process ends, before functions that were registered earlier. If it
// returns false, they are not called: the files of C are written, and the process ends at once with
// its status, where the C library tells that (glibc). Does nothing on Windows, and returns false:
// there the other threads are gone by then, and the system ends the device work.
bool call_at_exit(bool (*function)());

// Sets an environment variable for libraries to read; null removes it. Other threads may read the
// environment at the same time, but must not change it.
void set_variable(const char* name, const char* value);

struct PlatformAdapter {
  std::string name;
  uint64_t memory = 0;      // bytes, the adapter's own
  void* adapter = nullptr;  // for D3D12CreateDevice; never released
};

// The adapters of DXGI, graphics cards first if it can tell; empty if there is no DXGI.
std::vector<PlatformAdapter> platform_adapters();

// What a device wakes the host with, on platforms where all runtimes use the same kind of event.
class Event {
 public:
  Event();
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void* handle() const { return handle_; }  // for SetEventOnCompletion; null if there is none
  // Waits until it is signaled, but at most some milliseconds; without a handle, sleeps for
  // `pause`.
  void wait(std::chrono::microseconds pause);

 private:
  void* handle_;
};

}  // namespace gathernd::d3d12
