// The device, its queue, and the wait for it.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "com_gpu.hpp"
#include "gathernd/error.hpp"
#include "interrupt.hpp"

namespace gathernd::d3d12::GATHERND_COM {
namespace {

using Clock = std::chrono::steady_clock;
using CreateDevice = HRESULT(STDMETHODCALLTYPE*)(IUnknown*, D3D_FEATURE_LEVEL, const GUID&, void**);

constexpr D3D12_COMMAND_LIST_TYPE kListType = D3D12_COMMAND_LIST_TYPE_COMPUTE;

std::atomic<uint64_t> next_id{1};

}  // namespace

ComGpu::ComGpu(const Library& library, IUnknown* adapter) : id_(next_id++) {
  const auto create = reinterpret_cast<CreateDevice>(library.create_device);
  check(create(adapter, D3D_FEATURE_LEVEL_11_0, device_.iid(), device_.put()), "D3D12CreateDevice");
  D3D12_COMMAND_QUEUE_DESC queue = {};
  queue.Type = kListType;
  check(device_->CreateCommandQueue(&queue, queue_.iid(), queue_.put()),
        "ID3D12Device::CreateCommandQueue");
  check(device_->CreateCommandAllocator(kListType, allocator_.iid(), allocator_.put()),
        "ID3D12Device::CreateCommandAllocator");
  check(
      device_->CreateCommandList(0, kListType, allocator_.get(), nullptr, list_.iid(), list_.put()),
      "ID3D12Device::CreateCommandList");
  check(device_->CreateFence(0, D3D12_FENCE_FLAG_NONE, fence_.iid(), fence_.put()),
        "ID3D12Device::CreateFence");
  create_root_signature(library);
  create_descriptors();
}

ComGpu::~ComGpu() = default;

void ComGpu::finish() {
  if (in_flight_.empty()) return;
  // Until the end is seen, the GPU may be at work: after a failure nothing here can be used again.
  lost_ = true;
  flush_barriers();
  check(list_->Close(), "ID3D12GraphicsCommandList::Close");
  ID3D12CommandList* lists[] = {list_.get()};
  queue_->ExecuteCommandLists(1, lists);
  check(queue_->Signal(fence_.get(), ++fence_value_), "ID3D12CommandQueue::Signal");
  wait(fence_value_);
  restart();
  lost_ = false;
}

void ComGpu::discard() {
  if (lost_) return;
  lost_ = true;
  check(list_->Close(), "ID3D12GraphicsCommandList::Close");
  restart();
  lost_ = false;
}

void ComGpu::restart() {
  check(allocator_->Reset(), "ID3D12CommandAllocator::Reset");
  check(list_->Reset(allocator_.get(), nullptr), "ID3D12GraphicsCommandList::Reset");
  barriers_.clear();
  in_flight_.clear();
  ++list_number_;
  work_ = 0;
}

// Events differ between the runtimes, and vkd3d's have no timeout: this polls.
void ComGpu::wait(uint64_t value) {
  constexpr const char* kCall = "ID3D12Fence::GetCompletedValue";
  const bool stuck = take_fault(kCall, 0) != 0;
  const auto start = Clock::now();
  auto asked = start;
  for (int turn = 0;; ++turn) {
    const uint64_t done = fence_->GetCompletedValue();
    if (done == UINT64_MAX) {
      check(device_->GetDeviceRemovedReason(), "ID3D12Device::GetDeviceRemovedReason");
      throw Error(ErrorKind::kDevice, "[d3d12] the device was removed");
    }
    if (done >= value && !stuck) break;
    const auto now = Clock::now();
    if (stuck || now - start > wait_limit()) {
      throw Error(ErrorKind::kDevice,
                  std::string("[d3d12] ") + kCall + ": the device did not finish in time");
    }
    if (now - asked > std::chrono::milliseconds(50)) {
      asked = now;
      if (interrupted()) throw Error(ErrorKind::kDevice, "[d3d12] the wait was interrupted");
    }
    if (turn < 16) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(turn < 64 ? 20 : 200));
    }
  }
  check(device_->GetDeviceRemovedReason(), "ID3D12Device::GetDeviceRemovedReason");
}

std::unique_ptr<Gpu> open_gpu(const Library& library, void* adapter) {
  return std::make_unique<ComGpu>(library, static_cast<IUnknown*>(adapter));
}

}  // namespace gathernd::d3d12::GATHERND_COM
