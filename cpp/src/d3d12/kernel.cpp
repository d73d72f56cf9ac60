// Pipelines and dispatches.
#include "com_gpu.hpp"

namespace gathernd::d3d12::GATHERND_COM {
namespace {

using SerializeRootSignature = HRESULT(STDMETHODCALLTYPE*)(const D3D12_ROOT_SIGNATURE_DESC*,
                                                           D3D_ROOT_SIGNATURE_VERSION, ID3DBlob**,
                                                           ID3DBlob**);

constexpr uint64_t kMaxWork = uint64_t{1} << 21;  // groups a command list
constexpr uint32_t kGroupsX = 32768;              // the shaders' group_of() knows it
constexpr auto kReadState = D3D12_RESOURCE_STATE_NON_PIXEL_SHADER_RESOURCE;
constexpr auto kWriteState = D3D12_RESOURCE_STATE_UNORDERED_ACCESS;

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
