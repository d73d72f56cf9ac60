// Buffer states, the barriers between them, and copies.
#include <algorithm>

#include "d3d12/gpu/com_gpu.hpp"
#include "d3d12/gpu/tuning.hpp"

namespace gathernd::d3d12::GATHERND_COM {

void ComGpu::check_owner(const Buffer& buffer) const {
  if (&buffer.home() != buffers_.get()) throw_elsewhere(buffer.home());
}

// Records a transition to `state`, which the next flush_barriers() submits, and keeps the buffer
// alive until the work has ended.
ComBuffer& ComGpu::use(Buffer& buffer, D3D12_RESOURCE_STATES state) {
  check_owner(buffer);
  auto& result = static_cast<ComBuffer&>(buffer);
  recording_->buffers.push_back(buffer.shared_from_this());
  transition(result, state);
  return result;
}

void ComGpu::transition(ComBuffer& buffer, D3D12_RESOURCE_STATES state) {
  if (buffer.mapped() != nullptr) return;
  D3D12_RESOURCE_STATES& now = buffer.state(list_number_);
  D3D12_RESOURCE_BARRIER barrier = {};
  if (now == D3D12_RESOURCE_STATE_COMMON) {
    now = state;  // the first use promotes it
    return;
  } else if (now != state) {
    barrier.Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION;
    barrier.Transition = {buffer.resource(), D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES, now, state};
    now = state;
  } else if (state == D3D12_RESOURCE_STATE_UNORDERED_ACCESS) {
    barrier.Type = D3D12_RESOURCE_BARRIER_TYPE_UAV;
    barrier.UAV.pResource = buffer.resource();
  } else {
    return;
  }
  barriers_.push_back(barrier);
}

// D3D12 runs the next list after this one has ended. vkd3d does not enforce that, and Vulkan starts
// the next list earlier. This barrier makes all writes visible to it, and keeps it from overwriting
// what is still in use.
void ComGpu::settle() {
  const auto settled =
      D3D12_RESOURCE_STATE_COPY_SOURCE | D3D12_RESOURCE_STATE_NON_PIXEL_SHADER_RESOURCE;
  for (const BufferPtr& buffer : recording_->buffers) {
    transition(static_cast<ComBuffer&>(*buffer), settled);
  }
}

void ComGpu::flush_barriers() {
  if (barriers_.empty()) return;
  list_->ResourceBarrier(static_cast<UINT>(barriers_.size()), barriers_.data());
  barriers_.clear();
}

void ComGpu::copy(Buffer& to, uint64_t to_first, Buffer& from, uint64_t from_first,
                  uint64_t bytes) {
  if (bytes == 0) return;
  const uint64_t most = tuning().copy_bytes;
  constexpr double kByte = 0.5;  // nanoseconds: on lavapipe, and over PCI Express
  for (uint64_t at = 0; at < bytes; at += most) {
    add_work(static_cast<double>(std::min(most, bytes - at)) * kByte);
    ComBuffer& target = use(to, D3D12_RESOURCE_STATE_COPY_DEST);
    ComBuffer& source = use(from, D3D12_RESOURCE_STATE_COPY_SOURCE);
    flush_barriers();
    list_->CopyBufferRegion(target.resource(), to_first + at, source.resource(), from_first + at,
                            std::min(most, bytes - at));
  }
}

}  // namespace gathernd::d3d12::GATHERND_COM
