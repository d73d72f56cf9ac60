#include "cpu/buffer.hpp"

#include <array>
#include <atomic>
#include <bit>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace gathernd {
namespace {

constexpr size_t kHuge = size_t{1} << 21;  // bytes of a huge page
constexpr size_t kLeastKept = size_t{1} << 18;
constexpr size_t kMostKept = size_t{1} << 24;
constexpr size_t kSizes = 7;   // from 256 KiB to 16 MiB
constexpr size_t kOfEach = 2;  // blocks that are kept: 64 MiB in all

// Large blocks that wait for their next user: the system clears each page that it gives, which can
// take as long as the work done there. No lock, which a forked child could find taken.
std::array<std::array<std::atomic<void*>, kOfEach>, kSizes> kept;

bool is_kept(size_t bytes) { return bytes >= kLeastKept && bytes <= kMostKept; }

size_t block_bytes(size_t bytes) { return is_kept(bytes) ? std::bit_ceil(bytes) : bytes; }

auto& blocks_of(size_t bytes) {
  return kept[static_cast<size_t>(std::countr_zero(block_bytes(bytes) / kLeastKept))];
}

std::align_val_t alignment(size_t bytes) {
  return std::align_val_t{block_bytes(bytes) >= kHuge ? kHuge : alignof(std::max_align_t)};
}

}  // namespace

void* take_scratch(size_t bytes) {
  if (is_kept(bytes)) {
    for (auto& block : blocks_of(bytes)) {
      if (void* memory = block.exchange(nullptr)) return memory;
    }
  }
  void* memory = ::operator new(block_bytes(bytes), alignment(bytes));
#if defined(__linux__)
  if (block_bytes(bytes) >= kHuge) madvise(memory, block_bytes(bytes), MADV_HUGEPAGE);
#endif
  return memory;
}

void give_scratch(void* memory, size_t bytes) noexcept {
  if (is_kept(bytes)) {
    for (auto& block : blocks_of(bytes)) {
      void* none = nullptr;
      if (block.compare_exchange_strong(none, memory)) return;
    }
  }
  ::operator delete(memory, alignment(bytes));
}

}  // namespace gathernd
