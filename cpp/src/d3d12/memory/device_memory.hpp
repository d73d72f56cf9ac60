// A buffer that users of the library hold.
#pragma once

#include <string>
#include <utility>

#include "d3d12/gpu/gpu.hpp"
#include "d3d12/runtime/process.hpp"
#include "gathernd/device.hpp"
#include "gathernd/error.hpp"

namespace gathernd::d3d12 {

class D3D12Memory final : public DeviceMemory {
 public:
  D3D12Memory(BufferPtr buffer, uint64_t bytes)
      : buffer_(new BufferPtr(std::move(buffer))), bytes_(bytes) {}
  ~D3D12Memory() override {
    if (!is_forked()) delete buffer_;  // else it is the parent's, which frees it
  }
  D3D12Memory(const D3D12Memory&) = delete;
  D3D12Memory& operator=(const D3D12Memory&) = delete;
  uint64_t bytes() const override { return bytes_; }
  const BufferPtr& buffer() const { return *buffer_; }

 private:
  const BufferPtr* buffer_;
  uint64_t bytes_;
};

// Throws Error(kValue) for memory of fewer bytes than the call needs.
inline const BufferPtr& buffer_of(DeviceMemory& memory, uint64_t needed) {
  if (memory.bytes() < needed) {
    throw Error(ErrorKind::kValue, "[d3d12] a call needs " + std::to_string(needed) +
                                       " bytes of memory that has " +
                                       std::to_string(memory.bytes()));
  }
  return static_cast<D3D12Memory&>(memory).buffer();
}

}  // namespace gathernd::d3d12
