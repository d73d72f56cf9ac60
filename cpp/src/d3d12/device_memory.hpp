// A buffer that the users of the library hold.
#pragma once

#include <utility>

#include "forked.hpp"
#include "gathernd/device.hpp"
#include "gpu.hpp"

namespace gathernd::d3d12 {

class D3D12Memory final : public DeviceMemory {
 public:
  D3D12Memory(BufferPtr buffer, uint64_t bytes) : buffer_(std::move(buffer)), bytes_(bytes) {}
  ~D3D12Memory() override {
    if (is_forked()) new BufferPtr(std::move(buffer_));  // the parent's: it frees it
  }
  uint64_t bytes() const override { return bytes_; }
  const BufferPtr& buffer() const { return buffer_; }

 private:
  BufferPtr buffer_;
  uint64_t bytes_;
};

inline const BufferPtr& buffer_of(DeviceMemory& memory) {
  return static_cast<D3D12Memory&>(memory).buffer();
}

}  // namespace gathernd::d3d12
