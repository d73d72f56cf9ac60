// Creates the device, and what belongs to it.
#include "d3d12/gpu/com_gpu.hpp"

namespace gathernd::d3d12::GATHERND_COM {
namespace {

using CreateDevice = HRESULT(STDMETHODCALLTYPE*)(IUnknown*, D3D_FEATURE_LEVEL, const GUID&, void**);
using GetInterface = HRESULT(STDMETHODCALLTYPE*)(const GUID&, const GUID&, void**);

constexpr D3D12_COMMAND_LIST_TYPE kListType = D3D12_COMMAND_LIST_TYPE_COMPUTE;
constexpr D3D_FEATURE_LEVEL kLevel = D3D_FEATURE_LEVEL_11_0;
constexpr GUID kDeviceFactory = {
    0x114863bf, 0xc386, 0x4aee, {0xb3, 0x9d, 0x8f, 0x0b, 0xbb, 0x06, 0x29, 0x55}};

// On Linux vkd3d-proton has one device per process, even after it is lost. Its factory makes
// others.
ComPtr<ID3D12DeviceFactory> find_factory(const Library& library) {
  ComPtr<ID3D12DeviceFactory> factory;
  if (library.convention == Convention::kProton && library.get_interface != nullptr) {
    const auto get = reinterpret_cast<GetInterface>(library.get_interface);
    get(kDeviceFactory, factory.iid(), factory.put());
  }
  return factory;
}

HRESULT create_by(const Library& library, void* adapter, const GUID& iid, void** device) {
  if (library.vkd3d) return library.vkd3d->create_device(adapter, kLevel, &iid, device);
  auto* const unknown = static_cast<IUnknown*>(adapter);
  const auto factory = find_factory(library);
  if (factory.get() != nullptr) return factory->CreateDevice(unknown, kLevel, iid, device);
  return reinterpret_cast<CreateDevice>(library.create_device)(unknown, kLevel, iid, device);
}

ComPtr<ID3D12Device> create_device(const Library& library, void* adapter) {
  ComPtr<ID3D12Device> device;
  check(create_by(library, adapter, device.iid(), device.put()), "D3D12CreateDevice");
  return device;
}

}  // namespace

ComGpu::ComGpu(const Library& library, void* adapter)
    : convention_(library.convention), device_(create_device(library, adapter)) {
  if (library.vkd3d) vulkan_ = library.vkd3d->watch(device_.get());
  D3D12_COMMAND_QUEUE_DESC queue = {};
  queue.Type = kListType;
  check(device_->CreateCommandQueue(&queue, queue_.iid(), queue_.put()),
        "ID3D12Device::CreateCommandQueue");
  for (Recording& recording : recordings_) {
    auto& allocator = recording.allocator;
    check(device_->CreateCommandAllocator(kListType, allocator.iid(), allocator.put()),
          "ID3D12Device::CreateCommandAllocator");
    auto& fence = recording.fence;
    check(device_->CreateFence(0, D3D12_FENCE_FLAG_NONE, fence.iid(), fence.put()),
          "ID3D12Device::CreateFence");
  }
  check(device_->CreateFence(0, D3D12_FENCE_FLAG_NONE, spare_fence_.iid(), spare_fence_.put()),
        "ID3D12Device::CreateFence");
  check(device_->CreateCommandList(0, kListType, recording_->allocator.get(), nullptr, list_.iid(),
                                   list_.put()),
        "ID3D12Device::CreateCommandList");
  create_root_signature(library);
  create_descriptors(library.convention);
}

ComGpu::~ComGpu() = default;

std::unique_ptr<Gpu> open_gpu(const Library& library, void* adapter) {
  return std::make_unique<ComGpu>(library, adapter);
}

void check_adapter(const Library& library, void* adapter) {
  check(create_by(library, adapter, ComPtr<ID3D12Device>::iid(), nullptr), "D3D12CreateDevice");
}

}  // namespace gathernd::d3d12::GATHERND_COM
