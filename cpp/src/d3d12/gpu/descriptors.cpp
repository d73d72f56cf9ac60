// Descriptor tables: the views of buffers that shaders see.
#include "d3d12/gpu/com_gpu.hpp"

namespace gathernd::d3d12::GATHERND_COM {
namespace {

constexpr uint32_t kTableSize = kMaxReads + kMaxWrites;
constexpr uint32_t kTables = 2048;  // kept at a time

struct Elements {
  DXGI_FORMAT format;
  uint32_t size;
  uint32_t stride;  // of structured views, else 0
};

Elements elements(Format format) {
  switch (format) {
    case Format::kWord:
      return {DXGI_FORMAT_R32_UINT, 4, 0};
    case Format::kPair:
      return {DXGI_FORMAT_R32G32_UINT, 8, 0};
    case Format::kQuad:
      return {DXGI_FORMAT_R32G32B32A32_UINT, 16, 0};
    case Format::kAtomic:
      break;
  }
  return {DXGI_FORMAT_UNKNOWN, 4, 4};
}

}  // namespace

void ComGpu::create_descriptors(Convention convention) {
  D3D12_DESCRIPTOR_HEAP_DESC desc = {};
  desc.Type = D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV;
  desc.NumDescriptors = kTables * kTableSize;
  desc.Flags = D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE;
  check(device_->CreateDescriptorHeap(&desc, descriptors_.iid(), descriptors_.put()),
        "ID3D12Device::CreateDescriptorHeap");
  ID3D12DescriptorHeap* heap = descriptors_.get();
  descriptors_cpu_ = call_for_struct<9, D3D12_CPU_DESCRIPTOR_HANDLE>(heap, convention).ptr;
  descriptors_gpu_ = call_for_struct<10, D3D12_GPU_DESCRIPTOR_HANDLE>(heap, convention).ptr;
  descriptor_size_ = device_->GetDescriptorHandleIncrementSize(desc.Type);
  dummy_ = allocate(Heap::kDevice, kViewAlignment);
}

// A descriptor costs vkd3d 4 us, so tables are kept: calls on the same buffers find theirs again.
D3D12_GPU_DESCRIPTOR_HANDLE ComGpu::find_table(std::span<const View> reads,
                                               std::span<const View> writes) {
  std::vector<uint64_t> key;
  for (const auto& views : {reads, writes}) {
    key.push_back(views.size());
    for (const View& view : views) {
      key.insert(key.end(), {static_cast<ComBuffer*>(view.buffer)->number(), view.first, view.bytes,
                             static_cast<uint64_t>(view.format)});
    }
  }
  const auto found = tables_.find(key);
  if (found != tables_.end()) return {found->second};
  if (tables_.size() == kTables) {
    finish();
    tables_.clear();
  }
  const uint64_t first = uint64_t{tables_.size()} * kTableSize * descriptor_size_;
  fill_table(first, reads, writes);
  tables_.emplace(std::move(key), descriptors_gpu_ + first);
  return {descriptors_gpu_ + first};
}

// Hardware of the lowest binding tier requires every descriptor of a table to be valid.
void ComGpu::fill_table(uint64_t first, std::span<const View> reads, std::span<const View> writes) {
  const View none = whole(dummy_, Format::kWord);
  D3D12_CPU_DESCRIPTOR_HANDLE at = {};
  at.ptr = static_cast<SIZE_T>(descriptors_cpu_ + first);
  for (size_t i = 0; i < kMaxReads; ++i, at.ptr += descriptor_size_) {
    const View& view = i < reads.size() ? reads[i] : none;
    const Elements element = elements(view.format);
    D3D12_SHADER_RESOURCE_VIEW_DESC desc = {};
    desc.Format = element.format;
    desc.ViewDimension = D3D12_SRV_DIMENSION_BUFFER;
    desc.Shader4ComponentMapping = D3D12_DEFAULT_SHADER_4_COMPONENT_MAPPING;
    desc.Buffer.FirstElement = view.first / element.size;
    desc.Buffer.NumElements = static_cast<UINT>((view.bytes + element.size - 1) / element.size);
    desc.Buffer.StructureByteStride = element.stride;
    device_->CreateShaderResourceView(static_cast<ComBuffer*>(view.buffer)->resource(), &desc, at);
  }
  for (size_t i = 0; i < kMaxWrites; ++i, at.ptr += descriptor_size_) {
    const View& view = i < writes.size() ? writes[i] : none;
    const Elements element = elements(view.format);
    D3D12_UNORDERED_ACCESS_VIEW_DESC desc = {};
    desc.Format = element.format;
    desc.ViewDimension = D3D12_UAV_DIMENSION_BUFFER;
    desc.Buffer.FirstElement = view.first / element.size;
    desc.Buffer.NumElements = static_cast<UINT>((view.bytes + element.size - 1) / element.size);
    desc.Buffer.StructureByteStride = element.stride;
    device_->CreateUnorderedAccessView(static_cast<ComBuffer*>(view.buffer)->resource(), nullptr,
                                       &desc, at);
  }
  if (vulkan_ != nullptr && vulkan_->view_failed.exchange(false)) {
    throw OutOfMemory("[d3d12] vkCreateBufferView failed: out of memory");
  }
}

}  // namespace gathernd::d3d12::GATHERND_COM
