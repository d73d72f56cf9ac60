// Pipelines, descriptor tables and dispatches.
#include "com_gpu.hpp"

namespace gathernd::d3d12::GATHERND_COM {
namespace {

using SerializeRootSignature = HRESULT(STDMETHODCALLTYPE*)(const D3D12_ROOT_SIGNATURE_DESC*,
                                                           D3D_ROOT_SIGNATURE_VERSION, ID3DBlob**,
                                                           ID3DBlob**);

constexpr uint32_t kTableSize = kMaxReads + kMaxWrites;
constexpr uint32_t kTables = 2048;                // descriptor tables at a time
constexpr uint64_t kMaxWork = uint64_t{1} << 21;  // groups a command list
constexpr uint32_t kGroupsX = 32768;              // the shaders' group_of() knows it
constexpr auto kReadState = D3D12_RESOURCE_STATE_NON_PIXEL_SHADER_RESOURCE;
constexpr auto kWriteState = D3D12_RESOURCE_STATE_UNORDERED_ACCESS;

struct Elements {
  DXGI_FORMAT format;
  uint32_t size;
  uint32_t stride;  // of structured views
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

void ComGpu::create_root_signature(const Library& library) {
  D3D12_DESCRIPTOR_RANGE ranges[2] = {};
  ranges[0] = {D3D12_DESCRIPTOR_RANGE_TYPE_SRV, kMaxReads, 0, 0, 0};
  ranges[1] = {D3D12_DESCRIPTOR_RANGE_TYPE_UAV, kMaxWrites, 0, 0, kMaxReads};
  D3D12_ROOT_PARAMETER parameters[2] = {};
  parameters[0].ParameterType = D3D12_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS;
  parameters[0].Constants = {0, 0, kMaxConstants};
  parameters[1].ParameterType = D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE;
  parameters[1].DescriptorTable = {2, ranges};
  const D3D12_ROOT_SIGNATURE_DESC desc = {2, parameters, 0, nullptr,
                                          D3D12_ROOT_SIGNATURE_FLAG_NONE};
  const auto serialize = reinterpret_cast<SerializeRootSignature>(library.serialize_root_signature);
  ComPtr<ID3DBlob> blob, errors;
  check(serialize(&desc, D3D_ROOT_SIGNATURE_VERSION_1_0, reinterpret_cast<ID3DBlob**>(blob.put()),
                  reinterpret_cast<ID3DBlob**>(errors.put())),
        "D3D12SerializeRootSignature");
  check(device_->CreateRootSignature(0, blob->GetBufferPointer(), blob->GetBufferSize(),
                                     root_signature_.iid(), root_signature_.put()),
        "ID3D12Device::CreateRootSignature");
}

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

ID3D12PipelineState* ComGpu::pipeline(const Shader& shader) {
  const auto found = pipelines_.find(&shader);
  if (found != pipelines_.end()) return found->second.get();
  D3D12_COMPUTE_PIPELINE_STATE_DESC desc = {};
  desc.pRootSignature = root_signature_.get();
  desc.CS = {shader.code, shader.size};
  ComPtr<ID3D12PipelineState> result;
  check(device_->CreateComputePipelineState(&desc, result.iid(), result.put()),
        "ID3D12Device::CreateComputePipelineState");
  return pipelines_.emplace(&shader, std::move(result)).first->second.get();
}

// A descriptor costs vkd3d 4 us: tables are kept, and calls on the same buffers find theirs again.
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

// Hardware of the lowest binding tier wants every descriptor of a table to be valid.
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
}

void ComGpu::dispatch(const Shader& shader, std::span<const uint32_t> constants,
                      std::span<const View> reads, std::span<const View> writes, uint64_t groups) {
  if (groups == 0) return;
  for (const View& view : reads) check_owner(*view.buffer);
  for (const View& view : writes) check_owner(*view.buffer);
  ID3D12PipelineState* state = pipeline(shader);
  if (work_ > kMaxWork) finish();
  const D3D12_GPU_DESCRIPTOR_HANDLE table = find_table(reads, writes);
  for (const View& view : reads) use(*view.buffer, kReadState);
  for (const View& view : writes) use(*view.buffer, kWriteState);
  flush_barriers();
  ID3D12DescriptorHeap* heaps[] = {descriptors_.get()};
  list_->SetDescriptorHeaps(1, heaps);
  list_->SetComputeRootSignature(root_signature_.get());
  list_->SetPipelineState(state);
  list_->SetComputeRoot32BitConstants(0, static_cast<UINT>(constants.size()), constants.data(), 0);
  list_->SetComputeRootDescriptorTable(1, table);
  const uint64_t rows = (groups + kGroupsX - 1) / kGroupsX;
  list_->Dispatch(rows == 1 ? static_cast<UINT>(groups) : kGroupsX, static_cast<UINT>(rows), 1);
  work_ += groups;
}

}  // namespace gathernd::d3d12::GATHERND_COM
