// The free buffers of a Memory, and the leases of the others.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>

#include "d3d12/gpu/gpu.hpp"

namespace gathernd::d3d12 {

// A lease ends on any thread, and may outlive the pool: then its buffer goes with it.
class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  void add(BufferPtr buffer);

  // The smallest free buffer with so many bytes, and not far more; null where there is none. Free
  // again when the last copy of the pointer goes.
  BufferPtr lease(uint64_t bytes);

  // Lets free buffers go, largest first, until at most so many bytes are left; and so many stay at
  // most until the next lease() says that a call is at work, which may want again what it frees.
  // Returns the bytes that went.
  uint64_t let_go(uint64_t most);

 private:
  struct BySize {  // then by address: the same calls get the same buffers
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
  uint64_t bytes_ = 0;          // of all that is free
  uint64_t most_ = UINT64_MAX;  // of them
};

}  // namespace gathernd::d3d12
