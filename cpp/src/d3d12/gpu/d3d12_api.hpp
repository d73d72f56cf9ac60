// The only file that includes d3d12.h. Files that include this one are compiled once per calling
// convention of COM methods. GATHERND_COM is the namespace of that build.
#pragma once

#include <cstdint>
#include <utility>

#if defined(_WIN32)
#include <windows.h>
#else
#include <wsl/stubs/basetsd.h>
#if defined(GATHERND_COM_MICROSOFT)
#undef STDMETHODCALLTYPE
#undef __stdcall
#define STDMETHODCALLTYPE __attribute__((ms_abi))
#define __stdcall __attribute__((ms_abi))
#endif
#include <wsl/winadapter.h>
#endif

#include <directx/d3d12.h>
#include <dxguids/dxguids.h>

#include "d3d12/runtime/library.hpp"

namespace gathernd::d3d12::GATHERND_COM {

// Owns one reference of a COM object.
template <class T>
class ComPtr {
 public:
  ComPtr() = default;
  ComPtr(ComPtr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  ComPtr& operator=(ComPtr&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~ComPtr() {
    if (object_ != nullptr) object_->Release();
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }

  // The last two arguments of COM's creating functions.
  static GUID iid() { return uuidof<T>(); }
  void** put() { return reinterpret_cast<void**>(&object_); }

 private:
  T* object_ = nullptr;
};

// Calls a method that returns a struct, through the vtable. In Microsoft's runtime and both vkd3ds
// such methods take a hidden pointer to the result after `this`, which not every compiler passes.
// In WSL's runtime they return it as the compiler does.
template <int kSlot, class Result, class T>
Result call_for_struct(T* object, [[maybe_unused]] Convention convention) {
  void* const method = (*reinterpret_cast<void***>(object))[kSlot];
#if !defined(_WIN32)
  if (convention == Convention::kNative) {
    return reinterpret_cast<Result(STDMETHODCALLTYPE*)(T*)>(method)(object);
  }
#endif
  Result result = {};
  reinterpret_cast<Result*(STDMETHODCALLTYPE*)(T*, Result*)>(method)(object, &result);
  return result;
}

}  // namespace gathernd::d3d12::GATHERND_COM
