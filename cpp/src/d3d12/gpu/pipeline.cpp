// Pipelines and dispatches.
#include <algorithm>
#include <chrono>

#include "d3d12/gpu/com_gpu.hpp"
#include "d3d12/gpu/tuning.hpp"
#include "d3d12/shaders/parameters.h"

namespace gathernd::d3d12::GATHERND_COM {
namespace {

using SerializeRootSignature = HRESULT(STDMETHODCALLTYPE*)(const D3D12_ROOT_SIGNATURE_DESC*,
                                                           D3D_ROOT_SIGNATURE_VERSION, ID3DBlob**,
                                                           ID3DBlob**);

constexpr auto kReadState = D3D12_RESOURCE_STATE_NON_PIXEL_SHADER_RESOURCE;
constexpr auto kWriteState = D3D12_RESOURCE_STATE_UNORDERED_ACCESS;

}  // namespace

void ComGpu::create_root_signature(const Library& library) {
  D3D12_DESCRIPTOR_RANGE ranges[2] = {};
  ranges[0] = {D3D12_DESCRIPTOR_RANGE_TYPE_SRV, kMaxReads, 0, 0, 0};
  ranges[1] = {D3D12_DESCRIPTOR_RANGE_TYPE_UAV, kMaxWrites, 0, 0, kMaxReads};
  D3D12_ROOT_PARAMETER parameters[3] = {};
  parameters[0].ParameterType = D3D12_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS;
  parameters[0].Constants = {0, 0, kMaxConstants};
  parameters[1].ParameterType = D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE;
  parameters[1].DescriptorTable = {2, ranges};
  parameters[2].ParameterType = D3D12_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS;
  parameters[2].Constants = {1, 0, 1};
  const D3D12_ROOT_SIGNATURE_DESC desc = {3, parameters, 0, nullptr,
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

// Submits what was recorded, and waits for it, if `time` more would make it too long. A request to
// stop is noticed then.
void ComGpu::add_work(double time) {
  if (work_ > 0 && work_ + time > tuning().submission) {
    const bool alone = submitted_ == done_;
    const double estimated = work_;
    const auto start = Clock::now();
    finish();
    const std::chrono::duration<double, std::nano> taken = Clock::now() - start;
    // Times that are far too long may have another cause.
    if (alone && estimated > tuning().learned_submission)
      pace.learn(estimated, std::min(taken.count(), 2 * estimated));
  }
  work_ += time;
}

void ComGpu::dispatch(const Shader& shader, std::span<const uint32_t> constants,
                      std::span<const View> reads, std::span<const View> writes, uint64_t groups,
                      Cost cost) {
  for (const View& view : reads) check_owner(*view.buffer);
  for (const View& view : writes) check_owner(*view.buffer);
  ID3D12PipelineState* state = pipeline(shader);
  for (uint64_t first = 0; first < groups;) {
    uint64_t part = std::min(groups - first, pace.groups_within(tuning().submission, cost));
    // Only the last part may end within a row of groups: the rest of a row runs, too.
    if (part > kGroupsX && part < groups - first) part -= part % kGroupsX;
    add_work(pace.estimate(part, cost));
    dispatch_part(state, constants, reads, writes, first, part);
    first += part;
  }
}

void ComGpu::dispatch_part(ID3D12PipelineState* pipeline, std::span<const uint32_t> constants,
                           std::span<const View> reads, std::span<const View> writes,
                           uint64_t first, uint64_t groups) {
  const D3D12_GPU_DESCRIPTOR_HANDLE table = find_table(reads, writes);
  for (const View& view : reads) use(*view.buffer, kReadState);
  for (const View& view : writes) use(*view.buffer, kWriteState);
  ID3D12Resource* condition = nullptr;
  if (condition_.buffer != nullptr) {
    condition = use(*condition_.buffer, D3D12_RESOURCE_STATE_PREDICATION).resource();
  }
  flush_barriers();
  ID3D12DescriptorHeap* heaps[] = {descriptors_.get()};
  list_->SetDescriptorHeaps(1, heaps);
  list_->SetComputeRootSignature(root_signature_.get());
  list_->SetPipelineState(pipeline);
  list_->SetComputeRoot32BitConstants(0, static_cast<UINT>(constants.size()), constants.data(), 0);
  list_->SetComputeRootDescriptorTable(1, table);
  list_->SetComputeRoot32BitConstant(2, static_cast<UINT>(first), 0);
  const uint64_t rows = (groups + kGroupsX - 1) / kGroupsX;
  // D3D12 names what is left out, not what runs.
  const auto omitted =
      condition_.is_zero ? D3D12_PREDICATION_OP_NOT_EQUAL_ZERO : D3D12_PREDICATION_OP_EQUAL_ZERO;
  if (condition != nullptr) list_->SetPredication(condition, 0, omitted);
  list_->Dispatch(rows == 1 ? static_cast<UINT>(groups) : kGroupsX, static_cast<UINT>(rows), 1);
  if (condition != nullptr) list_->SetPredication(nullptr, 0, D3D12_PREDICATION_OP_EQUAL_ZERO);
}

}  // namespace gathernd::d3d12::GATHERND_COM
