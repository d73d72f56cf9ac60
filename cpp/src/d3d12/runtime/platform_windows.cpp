#include <windows.h>

#include <dxgi1_6.h>
#include <process.h>

#include <cstdlib>
#include <thread>

#include "d3d12/runtime/platform.hpp"

namespace gathernd::d3d12 {
namespace {

std::string utf8(const wchar_t* text) {
  char result[512] = {};  // four bytes per character; DXGI gives at most 128
  WideCharToMultiByte(CP_UTF8, 0, text, -1, result, sizeof(result) - 1, nullptr, nullptr);
  return result;
}

// Graphics cards first, if the factory can tell: Windows 10 1803 and newer.
HRESULT find_adapter(IDXGIFactory1* factory, UINT index, IDXGIAdapter1** adapter) {
  void *newer = nullptr, *found = nullptr;
  if (FAILED(factory->QueryInterface(__uuidof(IDXGIFactory6), &newer))) {
    return factory->EnumAdapters1(index, adapter);
  }
  auto* preferring = static_cast<IDXGIFactory6*>(newer);
  const HRESULT result = preferring->EnumAdapterByGpuPreference(
      index, DXGI_GPU_PREFERENCE_HIGH_PERFORMANCE, __uuidof(IDXGIAdapter1), &found);
  preferring->Release();
  *adapter = static_cast<IDXGIAdapter1*>(found);
  return result;
}

HMODULE check_module(HMODULE module, std::string* why) {
  const DWORD error = module == nullptr ? GetLastError() : ERROR_MOD_NOT_FOUND;
  *why = error == ERROR_MOD_NOT_FOUND ? "" : "error " + std::to_string(error);
  return module;
}

}  // namespace

std::span<const char* const> runtime_names() {
  static constexpr const char* kNames[] = {"d3d12.dll"};
  return kNames;
}

const char* runtime_hint() { return "it is part of Windows 10 and newer"; }

void* open_library(const char* name, std::string* why) {
  return check_module(LoadLibraryA(name), why);
}
void* open_system_library(const char* name, std::string* why) {
  return check_module(LoadLibraryExA(name, nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32), why);
}
void* find_symbol(void* library, const char* symbol) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), symbol));
}

int process_id() { return _getpid(); }

bool call_at_exit(bool (*)()) { return false; }

void set_variable(const char* name, const char* value) {
  _putenv_s(name, value != nullptr ? value : "");
}

std::vector<PlatformAdapter> platform_adapters() {
  using CreateFactory = HRESULT(WINAPI*)(REFIID, void**);
  std::vector<PlatformAdapter> result;
  std::string why;
  void* dxgi = open_system_library("dxgi.dll", &why);
  if (dxgi == nullptr) return result;
  const auto create = reinterpret_cast<CreateFactory>(find_symbol(dxgi, "CreateDXGIFactory1"));
  void* created = nullptr;
  if (create == nullptr || FAILED(create(__uuidof(IDXGIFactory1), &created))) return result;
  auto* factory = static_cast<IDXGIFactory1*>(created);
  IDXGIAdapter1* adapter = nullptr;
  for (UINT i = 0; find_adapter(factory, i, &adapter) == S_OK; ++i) {
    DXGI_ADAPTER_DESC1 desc = {};
    if (SUCCEEDED(adapter->GetDesc1(&desc))) {
      result.push_back(
          {utf8(desc.Description), desc.DedicatedVideoMemory, static_cast<IUnknown*>(adapter)});
    }
  }
  factory->Release();
  return result;
}

// An event, because even the shortest sleep can take up to 16 ms on Windows.
Event::Event() : handle_(CreateEventA(nullptr, FALSE, FALSE, nullptr)) {}
Event::~Event() {
  if (handle_ != nullptr) CloseHandle(handle_);
}
void Event::wait(std::chrono::microseconds pause) {
  constexpr DWORD kMilliseconds = 20;
  if (handle_ != nullptr) {
    WaitForSingleObject(handle_, kMilliseconds);
  } else {
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace gathernd::d3d12
