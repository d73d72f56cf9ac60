// Large blocks of memory, which are kept for their next user: scratch and results share them.
#pragma once

#include <cstddef>

namespace gathernd {

inline constexpr size_t kPage = 4096, kHugePage = size_t{1} << 21;  // bytes

// The header in front of the memory of a block. The whole is in huge pages if it is 2 MiB or more.
struct alignas(64) Block {
  size_t capacity;  // bytes, including this header
};

// A kept block of at least `capacity` bytes but less than twice as many; null if there is none.
Block* find_block(size_t capacity) noexcept;
Block* new_block(size_t capacity);  // as allocate()
// Keeps the block, unless keep_limit() forbids it. The oldest of about its size may be freed for
// it.
void keep_block(Block* block) noexcept;
void free_block(Block* block) noexcept;

// Gives all kept blocks back to the system; returns the number of bytes.
size_t release_blocks() noexcept;

}  // namespace gathernd
