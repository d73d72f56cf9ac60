#include "runtime/kept_memory.hpp"

#include <atomic>

#include "gathernd/device.hpp"
#include "runtime/block_cache.hpp"
#include "runtime/settings.hpp"

namespace gathernd {
namespace {

constinit std::atomic<uint64_t> kept_bytes{0};

}  // namespace

bool claim_kept(size_t bytes) noexcept {
  const uint64_t limit = keep_limit();
  uint64_t before = kept_bytes;
  do {
    if (bytes > limit || before > limit - bytes) return false;
  } while (!kept_bytes.compare_exchange_weak(before, before + bytes));
  return true;
}

void drop_kept(size_t bytes) noexcept { kept_bytes -= bytes; }

uint64_t kept_memory() { return kept_bytes; }

void* allocate(size_t bytes, std::align_val_t alignment) {
  void* memory;
  again_with_released([&] { memory = ::operator new(bytes, alignment); });
  return memory;
}

uint64_t release_memory() { return release_blocks() + release_device_memory(); }

}  // namespace gathernd
