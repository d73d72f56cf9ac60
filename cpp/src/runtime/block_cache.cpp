#include "runtime/block_cache.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <new>

#include "runtime/kept_memory.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace gathernd {
namespace {

constexpr size_t kSmallest = size_t{1} << 18;
constexpr size_t kBlockSizes = 8;  // from 256 KiB, from 512 KiB ... from 32 MiB up
constexpr size_t kOfEach = 2;      // kept blocks per size

// Newest first. No lock: a forked child could find it held.
std::array<std::array<std::atomic<Block*>, kOfEach>, kBlockSizes> kept_blocks;

auto& kept_like(size_t capacity) {
  const auto size = static_cast<size_t>(std::bit_width(capacity / kSmallest));
  return kept_blocks[std::clamp(size, size_t{1}, kBlockSizes) - 1];
}

std::align_val_t alignment(size_t capacity) {
  return std::align_val_t{capacity >= kHugePage ? kHugePage : kPage};
}

size_t release(std::atomic<Block*>& place) noexcept {
  Block* const block = place.exchange(nullptr);
  if (block == nullptr) return 0;
  const size_t bytes = block->capacity;
  drop_kept(bytes);
  free_block(block);
  return bytes;
}

}  // namespace

Block* find_block(size_t capacity) noexcept {
  for (auto& place : kept_like(capacity)) {
    Block* const block = place.exchange(nullptr);
    if (block == nullptr) continue;
    drop_kept(block->capacity);
    if (block->capacity >= capacity && block->capacity / 2 < capacity) return block;
    keep_block(block);
  }
  return nullptr;
}

Block* new_block(size_t capacity) {
  void* const memory = allocate(capacity, alignment(capacity));
#if defined(__linux__)
  if (capacity >= kHugePage) madvise(memory, capacity, MADV_HUGEPAGE);
#endif
  return new (memory) Block{capacity};
}

void keep_block(Block* block) noexcept {
  auto& places = kept_like(block->capacity);
  for (size_t oldest = places.size(); !claim_kept(block->capacity);) {
    if (oldest == 0) return free_block(block);
    release(places[--oldest]);
  }
  for (auto& place : places) {
    block = place.exchange(block);
    if (block == nullptr) return;
  }
  drop_kept(block->capacity);
  free_block(block);
}

void free_block(Block* block) noexcept { ::operator delete(block, alignment(block->capacity)); }

size_t release_blocks() noexcept {
  size_t released = 0;
  for (auto& places : kept_blocks) {
    for (auto& place : places) released += release(place);
  }
  return released;
}

}  // namespace gathernd
