#include "runtime/buffer.hpp"

#include <bit>

#include "runtime/block_cache.hpp"
#include "runtime/kept_memory.hpp"
#include "runtime/settings.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace gathernd {
namespace {

constexpr std::align_val_t kSmallAlignment{alignof(std::max_align_t)};
constexpr size_t kLarge = size_t{1} << 18, kMostKept = size_t{1} << 24;  // scratch that is kept

// Large scratch starts in the middle of a page, where no allocator starts an array. Otherwise
// stores to the result can be a multiple of 1 MiB and a few bytes before loads of the offsets: a
// Xeon then takes the load to depend on the store and stalls (up to 7 times slower).
constexpr size_t kSkew = kPage / 2;  // bytes

// Up to kMostKept, scratch of about the same size uses the same blocks.
size_t block_bytes(size_t bytes) {
  return (bytes <= kMostKept ? std::bit_ceil(bytes) : bytes) + kPage;
}

Block* block_of(const void* result) { return static_cast<Block*>(const_cast<void*>(result)) - 1; }

}  // namespace

void* take_scratch(size_t bytes) {
  if (bytes < kLarge) return allocate(bytes, kSmallAlignment);
  keep_limit();  // a bad setting throws here: give_scratch() may not throw
  Block* const kept = bytes <= kMostKept ? find_block(block_bytes(bytes)) : nullptr;
  Block* const block = kept != nullptr ? kept : new_block(block_bytes(bytes));
  return reinterpret_cast<std::byte*>(block) + kSkew;
}

void give_scratch(void* memory, size_t bytes) noexcept {
  if (bytes < kLarge) return ::operator delete(memory, kSmallAlignment);
  auto* const block = reinterpret_cast<Block*>(static_cast<std::byte*>(memory) - kSkew);
  return bytes <= kMostKept ? keep_block(block) : free_block(block);
}

void* take_result(size_t bytes) noexcept {
  if (bytes > PTRDIFF_MAX - 2 * kHugePage) return nullptr;
  try {
    const size_t capacity = (bytes + sizeof(Block) + kHugePage - 1) / kHugePage * kHugePage;
    Block* const kept = find_block(capacity);
    return (kept != nullptr ? kept : new_block(capacity)) + 1;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

size_t result_capacity(const void* memory) noexcept {
  return block_of(memory)->capacity - sizeof(Block);
}

void give_result(void* memory) noexcept {
  Block* const block = block_of(memory);
  if (block->capacity > keep_limit()) return free_block(block);
#if defined(__linux__)
  // The system may take all of it except the first huge page, which holds the header. Pages that it
  // took read as zeros.
  madvise(reinterpret_cast<std::byte*>(block) + kHugePage, block->capacity - kHugePage, MADV_FREE);
#endif
  keep_block(block);
}

}  // namespace gathernd
