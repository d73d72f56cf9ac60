// Gpu on D3D12's COM interfaces. Its source files are compiled once per calling convention.
#pragma once

#include <array>
#include <exception>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "d3d12/gpu/d3d12_api.hpp"
#include "d3d12/gpu/failure.hpp"
#include "d3d12/gpu/gpu.hpp"
#include "d3d12/runtime/library.hpp"
#include "d3d12/runtime/platform.hpp"
#include "d3d12/runtime/vkd3d.hpp"

namespace gathernd::d3d12::GATHERND_COM {

class ComBuffer final : public Buffer {
 public:
  // `padding`: the spare memory that the resource has beyond `size`.
  ComBuffer(uint64_t size, std::shared_ptr<DeviceBuffers> home, Heap heap,
            ComPtr<ID3D12Resource> resource, std::shared_ptr<void> padding);
  ~ComBuffer() override { home().remove(*this); }
  std::byte* mapped() override { return mapped_; }
  void drop() override;
  ID3D12Resource* resource() const { return resource_.get(); }
  uint64_t number() const { return number_; }  // unique, also among destroyed buffers

  // The state in command list `list`. In a new list, buffers of device memory start as COMMON.
  D3D12_RESOURCE_STATES& state(uint64_t list);

 private:
  std::shared_ptr<void> padding_;
  ComPtr<ID3D12Resource> resource_;
  uint64_t number_;
  std::byte* mapped_ = nullptr;
  Heap heap_;
  D3D12_RESOURCE_STATES state_ = D3D12_RESOURCE_STATE_COMMON;
  uint64_t list_ = 0;
};

class ComGpu final : public Gpu {
 public:
  ComGpu(const Library& library, void* adapter);
  ~ComGpu() override;

  BufferPtr allocate(Heap heap, uint64_t bytes) override;
  void copy(Buffer& to, uint64_t to_first, Buffer& from, uint64_t from_first,
            uint64_t bytes) override;
  void dispatch(const Shader& shader, std::span<const uint32_t> constants,
                std::span<const View> reads, std::span<const View> writes, uint64_t groups,
                Cost cost) override;
  void prepare(const Shader& shader) override { pipeline(shader); }
  uint64_t submit() override;
  void wait(uint64_t value) override;
  void finish() override;
  void discard() override;
  bool lost() const override { return buffers_->loss() != nullptr; }
  bool ended() override;
  void retire() override { buffers_->drop(); }

 private:
  // The allocator that a list is recorded into, in use until the fence reaches the value. Each has
  // its own fence, which must reach its value before it is signaled again, even if a later
  // submission is known to have ended: vkd3d may show the values of two signals out of order.
  struct Recording {
    ComPtr<ID3D12CommandAllocator> allocator;
    ComPtr<ID3D12Fence> fence;
    uint64_t value = 0;
    std::vector<BufferPtr> buffers;  // alive until the end
  };

  // If `f` throws, the device is lost: the GPU may still be at work, so nothing can be used again.
  template <class F>
  void or_lose(F f) {
    try {
      f();
    } catch (...) {
      buffers_->lose(std::current_exception());
      throw;
    }
  }

  // queue.cpp
  void await(uint64_t value);
  void end(const Recording& ended);  // waits for its end
  void poll(const Recording& recording);
  void ask_whether_removed();
  void check_removed();
  bool is_removed();
  void restart();
  // buffer.cpp
  std::shared_ptr<void> take_spare(uint64_t bytes);
  // barriers.cpp
  void check_owner(const Buffer& buffer) const;
  ComBuffer& use(Buffer& buffer, D3D12_RESOURCE_STATES state);
  void transition(ComBuffer& buffer, D3D12_RESOURCE_STATES state);
  void settle();
  void flush_barriers();
  // pipeline.cpp
  void add_work(double time);
  void dispatch_part(ID3D12PipelineState* pipeline, std::span<const uint32_t> constants,
                     std::span<const View> reads, std::span<const View> writes, uint64_t first,
                     uint64_t groups);
  void create_root_signature(const Library& library);
  ID3D12PipelineState* pipeline(const Shader& shader);
  // descriptors.cpp
  void create_descriptors(Convention convention);
  D3D12_GPU_DESCRIPTOR_HANDLE find_table(std::span<const View> reads, std::span<const View> writes);
  void fill_table(uint64_t first, std::span<const View> reads, std::span<const View> writes);

  const std::shared_ptr<DeviceBuffers> buffers_ = std::make_shared<DeviceBuffers>();
  const Convention convention_;
  ComPtr<ID3D12Device> device_;
  std::shared_ptr<const VulkanState> vulkan_;  // null if unknown
  ComPtr<ID3D12CommandQueue> queue_;
  ComPtr<ID3D12GraphicsCommandList> list_;

  std::array<Recording, 8> recordings_;
  Recording* recording_ = recordings_.data();
  uint64_t submitted_ = 0;  // value of the last submission
  uint64_t done_ = 0;       // value of the last submission that is known to have ended

  // Signaled during long waits, and after all other work once the device is lost.
  ComPtr<ID3D12Fence> spare_fence_;
  uint64_t spare_value_ = 0;
  uint64_t last_spare_value_ = 0;

  ComPtr<ID3D12RootSignature> root_signature_;
  ComPtr<ID3D12DescriptorHeap> descriptors_;
  uint64_t descriptors_cpu_ = 0;
  uint64_t descriptors_gpu_ = 0;
  uint32_t descriptor_size_ = 0;
  std::map<std::vector<uint64_t>, uint64_t> tables_;  // the views of a table -> its handle
  BufferPtr dummy_;                                   // for descriptors that a shader does not use
  std::unordered_map<const Shader*, ComPtr<ID3D12PipelineState>> pipelines_;

  uint64_t list_number_ = 1;
  double work_ = 0;  // estimated nanoseconds of this command list
  std::vector<D3D12_RESOURCE_BARRIER> barriers_;
  Event event_;
};

// `adapter`: an IUnknown of DXGI or DXCore, a physical device for Vkd3d, or null for the runtime's
// own choice.
std::unique_ptr<Gpu> open_gpu(const Library& library, void* adapter);

// Throws if the adapter cannot be opened, as far as that is known without opening it.
void check_adapter(const Library& library, void* adapter);

}  // namespace gathernd::d3d12::GATHERND_COM
