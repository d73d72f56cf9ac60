#include "runtime/buffer.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>

#include "runtime/kept_memory.hpp"
#include "runtime/settings.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace gathernd {
namespace {

constexpr size_t kHuge = size_t{1} << 21;  // bytes of a huge page
constexpr size_t kLarge = size_t{1} << 18;
constexpr size_t kMostKept = size_t{1} << 24;
constexpr size_t kSizes = 7;   // from 256 KiB to 16 MiB
constexpr size_t kOfEach = 2;  // kept blocks per size: at most 64 MiB in all

// Large scratch starts in the middle of a page, where no allocator starts an array. Otherwise
// stores to the result can be a multiple of 1 MiB and a few bytes before loads of the offsets: a
// Xeon then takes the load to depend on the store and stalls (up to 7 times slower).
constexpr size_t kPage = 4096, kSkew = kPage / 2;  // bytes

// No lock: a forked child could find it held.
std::array<std::array<std::atomic<std::byte*>, kOfEach>, kSizes> kept_scratch;

// The header in front of the memory of a result.
struct alignas(64) Result {
  size_t capacity;  // bytes, including this header
};

std::array<std::atomic<Result*>, 2> kept_results;  // newest first

bool is_kept(size_t bytes) { return bytes >= kLarge && bytes <= kMostKept; }

size_t block_bytes(size_t bytes) { return (is_kept(bytes) ? std::bit_ceil(bytes) : bytes) + kPage; }

auto& blocks_of(size_t bytes) {
  return kept_scratch[static_cast<size_t>(std::countr_zero(std::bit_ceil(bytes) / kLarge))];
}

std::align_val_t alignment(size_t bytes) {
  return std::align_val_t{bytes >= kHuge    ? kHuge
                          : bytes >= kLarge ? kPage
                                            : alignof(std::max_align_t)};
}

void free_result(Result* result) { give_block(result, result->capacity); }

size_t release_result(std::atomic<Result*>& place) {
  Result* const result = place.exchange(nullptr);
  if (result == nullptr) return 0;
  const size_t bytes = result->capacity;
  drop_kept(bytes);
  free_result(result);
  return bytes;
}

// Releases the oldest results if there is no room.
void keep_result(Result* result) {
  for (size_t oldest = kept_results.size(); !claim_kept(result->capacity);) {
    if (oldest == 0) return free_result(result);
    release_result(kept_results[--oldest]);
  }
  for (auto& place : kept_results) {
    result = place.exchange(result);
    if (result == nullptr) return;
  }
  drop_kept(result->capacity);
  free_result(result);
}

// A kept result with `capacity` bytes or more, but less than twice as many; else null.
Result* find_result(size_t capacity) {
  for (auto& place : kept_results) {
    Result* result = place.exchange(nullptr);
    if (result == nullptr) continue;
    drop_kept(result->capacity);
    if (result->capacity >= capacity && result->capacity / 2 < capacity) return result;
    keep_result(result);
  }
  return nullptr;
}

}  // namespace

void* take_block(size_t bytes) {
  const auto take = [=] { return ::operator new(bytes, alignment(bytes)); };
  void* memory;
  try {
    memory = take();
  } catch (const std::bad_alloc&) {
    if (release_memory() == 0) throw;
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
    keep_limit();  // a bad setting throws here: give_scratch() may not throw
    for (auto& block : blocks_of(bytes)) {
      if (std::byte* memory = block.exchange(nullptr)) {
        drop_kept(block_bytes(bytes));
        return memory + kSkew;
      }
    }
  }
  return static_cast<std::byte*>(take_block(block_bytes(bytes))) + kSkew;
}

void give_scratch(void* memory, size_t bytes) noexcept {
  if (bytes < kLarge) return give_block(memory, bytes);
  std::byte* const begin = static_cast<std::byte*>(memory) - kSkew;
  if (is_kept(bytes) && claim_kept(block_bytes(bytes))) {
    for (auto& block : blocks_of(bytes)) {
      std::byte* none = nullptr;
      if (block.compare_exchange_strong(none, begin)) return;
    }
    drop_kept(block_bytes(bytes));
  }
  give_block(begin, block_bytes(bytes));
}

void* take_result(size_t bytes) noexcept {
  if (bytes > PTRDIFF_MAX - 2 * kHuge) return nullptr;
  const size_t capacity = (bytes + sizeof(Result) + kHuge - 1) / kHuge * kHuge;
  Result* result = find_result(capacity);
  try {
    if (result == nullptr) result = new (take_block(capacity)) Result{capacity};
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return result + 1;
}

size_t result_capacity(const void* memory) noexcept {
  return (static_cast<const Result*>(memory) - 1)->capacity - sizeof(Result);
}

void give_result(void* memory) noexcept {
  Result* const result = static_cast<Result*>(memory) - 1;
  if (result->capacity > keep_limit()) return free_result(result);
#if defined(__linux__)
  // The system may take all of it except the first huge page, which holds the header. Pages that it
  // took read as zeros.
  madvise(reinterpret_cast<std::byte*>(result) + kHuge, result->capacity - kHuge, MADV_FREE);
#endif
  keep_result(result);
}

size_t release_blocks() noexcept {
  size_t released = 0;
  size_t bytes = kLarge;
  for (auto& blocks : kept_scratch) {
    for (auto& block : blocks) {
      std::byte* const memory = block.exchange(nullptr);
      if (memory == nullptr) continue;
      drop_kept(block_bytes(bytes));
      give_block(memory, block_bytes(bytes));
      released += block_bytes(bytes);
    }
    bytes *= 2;
  }
  for (auto& place : kept_results) released += release_result(place);
  return released;
}

}  // namespace gathernd
