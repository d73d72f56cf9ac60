#include "cpu/buffer.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace gathernd {
namespace {

constexpr size_t kHuge = size_t{1} << 21;  // bytes of a huge page
constexpr size_t kLarge = size_t{1} << 18;
constexpr size_t kMostKept = size_t{1} << 24;
constexpr size_t kSizes = 7;   // from 256 KiB to 16 MiB
constexpr size_t kOfEach = 2;  // blocks that are kept: 64 MiB in all

// Large scratch begins in the midst of a page and its block ends with one: no array that an
// allocator puts near it begins as far into a page. A Xeon takes stores that lie a multiple of 1
// MiB and a few bytes before a load for those that it needs, and waits: rows written while offsets
// are read took up to seven times as long.
constexpr size_t kPage = 4096, kSkew = kPage / 2;  // bytes

// Large scratch that waits for its next user: the system clears each page that it gives, which can
// take as long as the work done there. No lock, which a forked child could find taken.
std::array<std::array<std::atomic<std::byte*>, kOfEach>, kSizes> kept;

bool is_kept(size_t bytes) { return bytes >= kLarge && bytes <= kMostKept; }

size_t block_bytes(size_t bytes) { return (is_kept(bytes) ? std::bit_ceil(bytes) : bytes) + kPage; }

auto& blocks_of(size_t bytes) {
  return kept[static_cast<size_t>(std::countr_zero(std::bit_ceil(bytes) / kLarge))];
}

std::align_val_t alignment(size_t bytes) {
  return std::align_val_t{bytes >= kHuge    ? kHuge
                          : bytes >= kLarge ? kPage
                                            : alignof(std::max_align_t)};
}

void free_kept() {
  size_t bytes = kLarge;
  for (auto& blocks : kept) {
    for (auto& block : blocks) {
      if (std::byte* memory = block.exchange(nullptr)) give_block(memory, block_bytes(bytes));
    }
    bytes *= 2;
  }
}

}  // namespace

void* take_block(size_t bytes) {
  const auto take = [=] { return ::operator new(bytes, alignment(bytes)); };
  void* memory;
  try {
    memory = take();
  } catch (const std::bad_alloc&) {
    free_kept();
    memory = take();
  }
#if defined(__linux__)
  if (bytes >= kHuge) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return memory;
}

void give_block(void* memory, size_t bytes) noexcept {
  ::operator delete(memory, alignment(bytes));
}

void* take_scratch(size_t bytes) {
  if (bytes < kLarge) return take_block(bytes);
  if (is_kept(bytes)) {
    for (auto& block : blocks_of(bytes)) {
      if (std::byte* memory = block.exchange(nullptr)) return memory + kSkew;
    }
  }
  return static_cast<std::byte*>(take_block(block_bytes(bytes))) + kSkew;
}

void give_scratch(void* memory, size_t bytes) noexcept {
  if (bytes < kLarge) return give_block(memory, bytes);
  std::byte* const begin = static_cast<std::byte*>(memory) - kSkew;
  if (is_kept(bytes)) {
    for (auto& block : blocks_of(bytes)) {
      std::byte* none = nullptr;
      if (block.compare_exchange_strong(none, begin)) return;
    }
  }
  give_block(begin, block_bytes(bytes));
}

}  // namespace gathernd
