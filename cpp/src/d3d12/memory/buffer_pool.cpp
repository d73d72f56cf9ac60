#include "d3d12/memory/buffer_pool.hpp"

#include <iterator>
#include <utility>

namespace gathernd::d3d12 {

// Holds the node of the set: giving it back allocates nothing, so it cannot fail.
struct BufferPool::Lease {
  ~Lease() {
    if (const auto alive = pool.lock()) alive->give_back(std::move(buffer));
  }

  std::weak_ptr<BufferPool> pool;
  Free::node_type buffer;
};

void BufferPool::add(BufferPtr buffer) {
  std::lock_guard lock(mutex_);
  const uint64_t size = buffer->size();
  free_.insert(std::move(buffer));
  bytes_ += size;
}

BufferPtr BufferPool::lease(uint64_t bytes) {
  auto lease = std::make_shared<Lease>();
  std::lock_guard lock(mutex_);
  most_ = UINT64_MAX;
  const auto found = free_.lower_bound(bytes);
  if (found == free_.end() || (*found)->size() / 2 > bytes + 4096) return nullptr;
  bytes_ -= (*found)->size();
  lease->pool = weak_from_this();
  lease->buffer = free_.extract(found);
  return {lease, lease->buffer.value().get()};
}

void BufferPool::give_back(Free::node_type buffer) {
  std::lock_guard lock(mutex_);
  const uint64_t size = buffer.value()->size();
  if (bytes_ + size > most_) return;  // freed after the unlock, because freeing may take a while
  bytes_ += size;
  free_.insert(std::move(buffer));
}

uint64_t BufferPool::let_go(uint64_t most) {
  uint64_t gone = 0;
  while (true) {
    Free::node_type largest;  // freed after the unlock
    std::lock_guard lock(mutex_);
    most_ = most;
    if (bytes_ <= most) return gone;
    largest = free_.extract(std::prev(free_.end()));
    bytes_ -= largest.value()->size();
    gone += largest.value()->size();
  }
}

}  // namespace gathernd::d3d12
