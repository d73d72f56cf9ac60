// What was recorded on its way through the queue, and the wait for it.
#include <algorithm>
#include <chrono>
#include <thread>

#include "com_gpu.hpp"
#include "gathernd/error.hpp"
#include "geometry.hpp"
#include "interrupt.hpp"

namespace gathernd::d3d12::GATHERND_COM {

void ComGpu::finish() { wait(submit()); }

// After a failure on the way nothing here can be used again: the GPU may be at work.
uint64_t ComGpu::submit() {
  if (recording_->buffers.empty()) return submitted_;
  settle();
  lost_ = true;
  flush_barriers();
  check(list_->Close(), "ID3D12GraphicsCommandList::Close");
  ID3D12CommandList* lists[] = {list_.get()};
  if (limits().submitted != nullptr) limits().submitted(work_);
  queue_->ExecuteCommandLists(1, lists);
  recording_->value = ++submitted_;
  check(queue_->Signal(recording_->fence.get(), submitted_), "ID3D12CommandQueue::Signal");
  if (++recording_ == recordings_.data() + recordings_.size()) recording_ = recordings_.data();
  end(*recording_);
  restart();
  return submitted_;
}

void ComGpu::wait(uint64_t value) {
  await(value);
  interrupt().check();
}

void ComGpu::await(uint64_t value) {
  // Later ones end later; what has been recorded over has ended.
  if (value > done_) end(*std::ranges::find(recordings_, value, &Recording::value));
}

void ComGpu::end(const Recording& ended) {
  lost_ = true;
  poll(ended);
  done_ = std::max(done_, ended.value);
  for (Recording& recording : recordings_) {
    if (recording.value <= done_ && &recording != recording_) recording.buffers.clear();
  }
  lost_ = false;
}

void ComGpu::discard() {
  // An earlier failure may have come of that.
  constexpr const char* kReason = "ID3D12Device::GetDeviceRemovedReason";
  lost_ = lost_ || take_fault(kReason, device_->GetDeviceRemovedReason()) < 0;
  if (lost_) return;
  await(submitted_);
  lost_ = true;
  check(list_->Close(), "ID3D12GraphicsCommandList::Close");
  restart();
}

void ComGpu::restart() {
  lost_ = true;
  check(recording_->allocator->Reset(), "ID3D12CommandAllocator::Reset");
  check(list_->Reset(recording_->allocator.get(), nullptr), "ID3D12GraphicsCommandList::Reset");
  barriers_.clear();
  recording_->buffers.clear();
  ++list_number_;
  work_ = 0;
  lost_ = false;
}

// Asks now and then whether the call shall stop; the end is found by polling, or by an event
// between the polls. One that was set for an earlier wait does no harm.
void ComGpu::poll(const Recording& recording) {
  constexpr const char* kCall = "ID3D12Fence::GetCompletedValue";
  constexpr int kYields = 16;
  const int32_t fault = take_fault(kCall, 0);  // below 0: never ends; above: is slow
  const bool stuck = fault < 0;
  if (fault > 0) interrupt().ask();
  WaitTime time(Clock::now());
  for (int turn = 0;; ++turn) {
    const auto now = Clock::now();
    interrupt().ask_at(now);
    const uint64_t done = recording.fence->GetCompletedValue();
    if (done == UINT64_MAX) {
      check(device_->GetDeviceRemovedReason(), "ID3D12Device::GetDeviceRemovedReason");
      throw Error(ErrorKind::kDevice, "[d3d12] the device was removed");
    }
    if (done >= recording.value && !stuck) break;
    if (stuck || time.until(now) > wait_limit()) {
      throw Error(ErrorKind::kDevice,
                  std::string("[d3d12] ") + kCall + ": the device did not finish in time");
    }
    if (turn < kYields) {
      std::this_thread::yield();
      continue;
    }
    if (turn == kYields && event_.handle() != nullptr) {
      check(recording.fence->SetEventOnCompletion(recording.value, event_.handle()),
            "ID3D12Fence::SetEventOnCompletion");
    }
    event_.wait(std::chrono::microseconds(turn < 4 * kYields ? 20 : 200));
  }
  check(device_->GetDeviceRemovedReason(), "ID3D12Device::GetDeviceRemovedReason");
}

bool ComGpu::idle() {
  return std::ranges::all_of(recordings_, [](const Recording& recording) {
    return recording.fence->GetCompletedValue() >= recording.value;
  });
}

void ComGpu::release_buffers() {
  for (Recording& recording : recordings_) recording.buffers.clear();
}

}  // namespace gathernd::d3d12::GATHERND_COM
