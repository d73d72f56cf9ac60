// The free buffers of a Memory, and the leases of those in use.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>

#include "d3d12/gpu/gpu.hpp"

namespace gathernd::d3d12 {

// A lease may end on any thread, and may outlive the pool: its buffer is then freed with it.
class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  void add(BufferPtr buffer);

  // The smallest free buffer of at least `bytes` bytes, but not far more; null if there is none. It
  // becomes free again when the last copy of the pointer is destroyed.
  BufferPtr lease(uint64_t bytes);

  // Frees free buffers, largest first, until at most `most` bytes are left; returns the bytes
  // freed. The limit stays until the next lease(), which shows that a call is at work: it may soon
  // reuse the buffers that it gives back.
  uint64_t let_go(uint64_t most);

 private:
  struct BySize {  // then by address, so that the same calls get the same buffers
    using is_transparent = void;
    bool operator()(const BufferPtr& a, const BufferPtr& b) const {
      return a->size() != b->size() ? a->size() < b->size() : std::less<>()(a.get(), b.get());
    }
    bool operator()(const BufferPtr& a, uint64_t size) const { return a->size() < size; }
  };
  using Free = std::set<BufferPtr, BySize>;
  struct Lease;

  void give_back(Free::node_type buffer);

  std::mutex mutex_;
  Free free_;
  uint64_t bytes_ = 0;          // of all free buffers
  uint64_t most_ = UINT64_MAX;  // limit of bytes_
};

}  // namespace gathernd::d3d12
