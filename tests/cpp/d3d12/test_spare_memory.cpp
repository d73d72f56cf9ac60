// What buffers have beyond the bytes that were asked for.
#include <doctest/doctest.h>

#include <vector>

#include "d3d12/gpu/adapters.hpp"
#include "d3d12/memory/memory.hpp"

namespace gathernd::testing {
namespace {

using d3d12::BufferPtr;

constexpr uint64_t kMiB = uint64_t{1} << 20;

TEST_CASE(
    "spare memory: a buffer has the bytes it was asked for, be there memory to spare or not") {
  const auto gpu = d3d12::open_adapter(0);
  d3d12::Memory memory(*gpu);
  for (const uint64_t spare : {uint64_t{0}, 24 * kMiB, 1024 * kMiB}) {
    *gpu->spare_memory = spare;
    std::vector<BufferPtr> held;
    for (const uint64_t bytes : {8 * kMiB, 20 * kMiB, 8 * kMiB, 32 * kMiB}) {
      held.push_back(memory.allocate(bytes));
      CHECK(held.back()->size() == bytes);
      const std::vector<uint32_t> words(bytes / 4, static_cast<uint32_t>(held.size()));
      memory.upload(*held.back(), words.data(), bytes);
    }
    for (size_t i = 0; i < held.size(); ++i) {
      uint32_t last = 0;
      memory.download(*held[i], held[i]->size() - sizeof last, sizeof last, &last);
      CHECK(last == i + 1);
    }
    held.clear();
    CHECK(*gpu->spare_memory == spare);
  }
}

TEST_CASE("spare memory: buffers of 8 to 32 MiB get 32, as long as there is memory to spare") {
  const auto gpu = d3d12::open_adapter(0);
  const auto takes = [&](uint64_t bytes) {
    const uint64_t before = *gpu->spare_memory;
    const BufferPtr buffer = gpu->allocate(d3d12::Heap::kDevice, bytes);
    return before - *gpu->spare_memory;
  };
  *gpu->spare_memory = 24 * kMiB;
  CHECK(takes(8 * kMiB - 1024) == 0);
  CHECK(takes(8 * kMiB) == 24 * kMiB);
  CHECK(takes(20 * kMiB) == 12 * kMiB);
  CHECK(takes(32 * kMiB) == 0);
  *gpu->spare_memory = 24 * kMiB - 1;
  CHECK(takes(8 * kMiB) == 0);
}

}  // namespace
}  // namespace gathernd::testing
