// Buffers: allocation, mapping, padding.
#include <algorithm>
#include <atomic>
#include <bit>

#include "d3d12/gpu/com_gpu.hpp"
#include "d3d12/gpu/tuning.hpp"

namespace gathernd::d3d12::GATHERND_COM {
namespace {

D3D12_HEAP_TYPE heap_type(Heap heap) {
  switch (heap) {
    case Heap::kUpload:
      return D3D12_HEAP_TYPE_UPLOAD;
    case Heap::kReadback:
      return D3D12_HEAP_TYPE_READBACK;
    case Heap::kDevice:
      break;
  }
  return D3D12_HEAP_TYPE_DEFAULT;
}

// Mapped memory stays in the only state that its heap allows.
D3D12_RESOURCE_STATES first_state(Heap heap) {
  switch (heap) {
    case Heap::kUpload:
      return D3D12_RESOURCE_STATE_GENERIC_READ;
    case Heap::kReadback:
      return D3D12_RESOURCE_STATE_COPY_DEST;
    case Heap::kDevice:
      break;
  }
  return D3D12_RESOURCE_STATE_COMMON;
}

std::atomic<uint64_t> numbers{0};

}  // namespace

ComBuffer::ComBuffer(uint64_t size, std::shared_ptr<DeviceBuffers> home, Heap heap,
                     ComPtr<ID3D12Resource> resource, std::shared_ptr<void> padding)
    : Buffer(size, std::move(home)),
      padding_(std::move(padding)),
      resource_(std::move(resource)),
      number_(++numbers),
      heap_(heap) {
  if (heap != Heap::kDevice) {
    void* mapped = nullptr;
    check(resource_->Map(0, nullptr, &mapped), "ID3D12Resource::Map");
    mapped_ = static_cast<std::byte*>(mapped);
  }
  Buffer::home().add(*this);
}

void ComBuffer::drop() {
  mapped_ = nullptr;
  resource_ = {};
  padding_ = nullptr;
}

D3D12_RESOURCE_STATES& ComBuffer::state(uint64_t list) {
  if (list_ != list) state_ = first_state(heap_);
  list_ = list;
  return state_;
}

// Null if there is not so much to spare. Other threads only give memory back, so the check holds.
std::shared_ptr<void> ComGpu::take_spare(uint64_t bytes) {
  if (*spare_memory < bytes) return nullptr;
  *spare_memory -= bytes;
  return {spare_memory.get(), [spare = spare_memory, bytes](void*) { *spare += bytes; }};
}

BufferPtr ComGpu::allocate(Heap heap, uint64_t bytes) {
  constexpr uint64_t kMax = uint64_t{1} << 62;
  if (bytes > kMax) throw LimitError("[d3d12] more bytes than any device has");
  const uint64_t size =
      std::max(bytes + kViewAlignment - 1, kViewAlignment) & ~(kViewAlignment - 1);
  D3D12_HEAP_PROPERTIES properties = {};
  properties.Type = heap_type(heap);
  D3D12_RESOURCE_DESC desc = {};
  desc.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER;
  desc.Height = 1;
  desc.DepthOrArraySize = 1;
  desc.MipLevels = 1;
  desc.SampleDesc.Count = 1;
  desc.Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR;
  if (heap == Heap::kDevice) desc.Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS;
  ComPtr<ID3D12Resource> resource;
  const auto create = [&](uint64_t width) {
    // Mesa's software device compiles a shader anew for each combination of buffers whose widths
    // are and are not powers of two. So there no width is a power of two, but that of dummy_, which
    // is created before the device is known.
    desc.Width = width + (is_lavapipe && std::has_single_bit(width) ? 4 : 0);
    return device_->CreateCommittedResource(&properties, D3D12_HEAP_FLAG_NONE, &desc,
                                            first_state(heap), nullptr, resource.iid(),
                                            resource.put());
  };
  std::shared_ptr<void> padding;
  const bool pads =
      heap == Heap::kDevice && size >= tuning().medium_buffer && size < tuning().large_buffer;
  if (pads) padding = take_spare(tuning().large_buffer - size);
  HRESULT result = create(padding != nullptr ? tuning().large_buffer : size);
  if (result < 0 && padding != nullptr) {
    padding = nullptr;
    result = create(size);
  }
  check(result, "ID3D12Device::CreateCommittedResource", std::to_string(size) + " bytes");
  return std::make_shared<ComBuffer>(size, buffers_, heap, std::move(resource), std::move(padding));
}

}  // namespace gathernd::d3d12::GATHERND_COM
