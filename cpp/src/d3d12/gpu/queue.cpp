// Submits what was recorded, and waits for it.
#include <algorithm>
#include <chrono>
#include <thread>

#include "d3d12/gpu/com_gpu.hpp"
#include "d3d12/gpu/interrupt.hpp"
#include "d3d12/gpu/tuning.hpp"
#include "gathernd/error.hpp"

namespace gathernd::d3d12::GATHERND_COM {
namespace {

constexpr const char* kSignal = "ID3D12CommandQueue::Signal";
constexpr auto kOutOfMemory = static_cast<HRESULT>(0x8007000e);
constexpr Clock::duration kLook = std::chrono::seconds(1);  // between checks for a removed device

}  // namespace

void ComGpu::finish() { wait(submit()); }

uint64_t ComGpu::submit() {
  if (recording_->buffers.empty()) return submitted_;
  settle();
  or_lose([&] {
    flush_barriers();
    check(list_->Close(), "ID3D12GraphicsCommandList::Close");
    ID3D12CommandList* lists[] = {list_.get()};
    if (tuning().submitted != nullptr) tuning().submitted(work_);
    queue_->ExecuteCommandLists(1, lists);
    check(queue_->Signal(recording_->fence.get(), submitted_ + 1), kSignal);
    recording_->value = ++submitted_;
    if (++recording_ == recordings_.data() + recordings_.size()) recording_ = recordings_.data();
    end(*recording_);
    restart();
  });
  return submitted_;
}

void ComGpu::wait(uint64_t value) {
  await(value);
  interrupt().check();
}

void ComGpu::await(uint64_t value) {
  // Submissions end in order, and a recording is reused only after its submission has ended.
  if (value > done_) end(*std::ranges::find(recordings_, value, &Recording::value));
}

void ComGpu::end(const Recording& ended) {
  or_lose([&] { poll(ended); });
  done_ = std::max(done_, ended.value);
  for (Recording& recording : recordings_) {
    if (recording.value <= done_ && &recording != recording_) recording.buffers.clear();
  }
}

void ComGpu::discard() {
  if (lost()) return;
  or_lose([&] {
    check_removed();  // a removal may have caused an earlier failure
    await(submitted_);
    check(list_->Close(), "ID3D12GraphicsCommandList::Close");
    restart();
  });
}

void ComGpu::restart() {
  or_lose([&] {
    check(recording_->allocator->Reset(), "ID3D12CommandAllocator::Reset");
    check(list_->Reset(recording_->allocator.get(), nullptr), "ID3D12GraphicsCommandList::Reset");
  });
  barriers_.clear();
  recording_->buffers.clear();
  ++list_number_;
  work_ = 0;
}

// Polls for the end, and waits for an event between polls if there is one. Also asks now and then
// whether the call should stop. An event that an earlier wait requested does no harm.
void ComGpu::poll(const Recording& recording) {
  constexpr const char* kCall = "ID3D12Fence::GetCompletedValue";
  constexpr int kYields = 16;
  const int32_t fault = take_fault(kCall, 0);  // below 0: never ends; above 0: is slow
  const bool stuck = fault < 0;
  if (fault > 0) interrupt().ask();
  WaitTime time(Clock::now());
  Clock::duration next_look = kLook;
  for (int attempt = 0;; ++attempt) {
    const auto now = Clock::now();
    interrupt().ask_at(now);
    const uint64_t done = recording.fence->GetCompletedValue();
    if (done >= recording.value && !stuck) break;
    const Clock::duration waited = time.until(now);
    if (waited >= next_look) {
      ask_whether_removed();
      next_look = waited + kLook;
    }
    if (stuck || waited > wait_limit()) {
      throw Error(ErrorKind::kDevice,
                  std::string("[d3d12] ") + kCall + ": the device did not finish in time");
    }
    if (attempt < kYields) {
      std::this_thread::yield();
      continue;
    }
    if (attempt == kYields && event_.handle() != nullptr) {
      check(recording.fence->SetEventOnCompletion(recording.value, event_.handle()),
            "ID3D12Fence::SetEventOnCompletion");
    }
    event_.wait(std::chrono::microseconds(attempt < 4 * kYields ? 20 : 200));
  }
  check_removed();
}

// Some runtimes never complete the fences of a removed device. They report the removal when work is
// submitted.
void ComGpu::ask_whether_removed() {
  check_removed();
  const HRESULT result = queue_->Signal(spare_fence_.get(), ++spare_value_);
  if (result != kOutOfMemory) check(result, kSignal);
}

// All fences of a removed device show the largest value.
void ComGpu::check_removed() {
  check(device_->GetDeviceRemovedReason(), "ID3D12Device::GetDeviceRemovedReason");
  if (is_removed() || recording_->fence->GetCompletedValue() == UINT64_MAX) {
    throw Error(ErrorKind::kDevice, "[d3d12] the device was removed");
  }
}

// Whether the device was removed and runs nothing any more. vkd3d also gives a reason for removal
// after invalid calls, so for vkd3d only Vulkan's answer counts.
bool ComGpu::is_removed() {
  if (vulkan_ != nullptr) return vulkan_->lost;
  return convention_ != Convention::kMicrosoft && device_->GetDeviceRemovedReason() < 0;
}

// The spare fence also covers a last submission whose own signal failed.
bool ComGpu::ended() {
  if (is_removed()) return true;
  if (last_spare_value_ == 0) {
    const HRESULT result = queue_->Signal(spare_fence_.get(), ++spare_value_);
    if (result == kOutOfMemory) return false;
    if (result >= 0) {
      last_spare_value_ = spare_value_;
    } else if (vulkan_ != nullptr) {
      wait_until_idle(*vulkan_);
    }
  }
  if (spare_fence_->GetCompletedValue() < last_spare_value_) return false;
  return std::ranges::all_of(recordings_, [](const Recording& recording) {
    return recording.fence->GetCompletedValue() >= recording.value;
  });
}

}  // namespace gathernd::d3d12::GATHERND_COM
