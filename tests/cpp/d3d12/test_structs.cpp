// How the two kinds of runtimes on Linux return structs.
#include <doctest/doctest.h>

#define GATHERND_COM com_native
#include "d3d12/gpu/d3d12_api.hpp"

namespace gathernd::d3d12::com_native {
namespace {

constexpr uint64_t kCpu = 0x123456789, kGpu = 0xabcdef0123;

// As WSL's runtime has it: made from the same headers, by the platform's compiler.
struct WslHeap : ID3D12DescriptorHeap {
  HRESULT QueryInterface(REFIID, void**) override { return 0; }
  ULONG AddRef() override { return 1; }
  ULONG Release() override { return 1; }
  HRESULT GetPrivateData(REFGUID, UINT*, void*) override { return 0; }
  HRESULT SetPrivateData(REFGUID, UINT, const void*) override { return 0; }
  HRESULT SetPrivateDataInterface(REFGUID, const IUnknown*) override { return 0; }
  HRESULT SetName(LPCWSTR) override { return 0; }
  HRESULT GetDevice(REFIID, void**) override { return 0; }
  D3D12_DESCRIPTOR_HEAP_DESC GetDesc() override { return {}; }
  D3D12_CPU_DESCRIPTOR_HANDLE GetCPUDescriptorHandleForHeapStart() override { return {kCpu}; }
  D3D12_GPU_DESCRIPTOR_HANDLE GetGPUDescriptorHandleForHeapStart() override { return {kGpu}; }
};

// As vkd3d has it, which is written in C.
struct Vkd3dHeap {
  void** methods;
};

template <class Result, uint64_t kValue>
Result* return_by_pointer(Vkd3dHeap*, Result* result) {
  result->ptr = kValue;
  return result;
}

template <class T>
void check_handles(T* heap, Convention convention) {
  CHECK(call_for_struct<9, D3D12_CPU_DESCRIPTOR_HANDLE>(heap, convention).ptr == kCpu);
  CHECK(call_for_struct<10, D3D12_GPU_DESCRIPTOR_HANDLE>(heap, convention).ptr == kGpu);
}

TEST_CASE("handles of a descriptor heap, from WSL's runtime and from vkd3d-proton") {
  WslHeap wsl;
  check_handles(static_cast<ID3D12DescriptorHeap*>(&wsl), Convention::kNative);

  void* methods[11] = {};
  methods[9] = reinterpret_cast<void*>(&return_by_pointer<D3D12_CPU_DESCRIPTOR_HANDLE, kCpu>);
  methods[10] = reinterpret_cast<void*>(&return_by_pointer<D3D12_GPU_DESCRIPTOR_HANDLE, kGpu>);
  Vkd3dHeap vkd3d = {methods};
  check_handles(&vkd3d, Convention::kProton);
}

}  // namespace
}  // namespace gathernd::d3d12::com_native
