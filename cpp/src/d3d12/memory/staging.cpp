#include "d3d12/memory/staging.hpp"

#include <algorithm>

#include "d3d12/gpu/failure.hpp"
#include "d3d12/gpu/tuning.hpp"

namespace gathernd::d3d12 {
namespace {

uint64_t most_bytes() { return tuning().staging_bytes / Staging::kBlocks; }

// The largest piece still fits behind a few words, because the status comes with the first rows.
uint64_t block_bytes() { return most_bytes() + most_bytes() / 1024; }

// The size that a buffer of `bytes` bytes gets.
uint64_t padded(uint64_t bytes) {
  return (bytes + kViewAlignment - 1) / kViewAlignment * kViewAlignment;
}

}  // namespace

uint64_t Staging::piece_bytes(uint64_t element) {
  if (element == 0) return most_bytes();  // elements without bytes: there is nothing to stage
  return std::max<uint64_t>(most_bytes() / element, 1) * element;
}

void Staging::trim() {
  for (Block& block : blocks_) {
    if (block.buffer != nullptr && block.buffer->size() > padded(block_bytes()))
      block.buffer = nullptr;
  }
  used_ = 0;
}

uint64_t Staging::release() {
  uint64_t bytes = 0;
  for (Block& block : blocks_) {
    if (block.buffer != nullptr) bytes += block.buffer->size();
    block.buffer = nullptr;
  }
  used_ = 0;
  return bytes;
}

BufferPtr Staging::allocate(uint64_t bytes) {
  try {
    return gpu_.allocate(heap_, bytes);
  } catch (const OutOfMemory&) {
    make_room_();
    return gpu_.allocate(heap_, bytes);
  }
}

Staging::Piece Staging::take(uint64_t bytes) {
  if (used_ != 0 && used_ + bytes > block_bytes()) {
    blocks_[current_].value = gpu_.submit();
    current_ = (current_ + 1) % kBlocks;
    used_ = 0;
  }
  Block& block = blocks_[current_];
  gpu_.wait(block.value);
  const uint64_t size = std::max(bytes, block_bytes());
  if (used_ == 0 && (block.buffer == nullptr || block.buffer->size() < size)) {
    block.buffer = nullptr;
    block.buffer = allocate(size);
  }
  const uint64_t first = used_;
  used_ = (used_ + bytes + 15) & ~uint64_t{15};
  return {*block.buffer, first, block.buffer->mapped() + first};
}

}  // namespace gathernd::d3d12
