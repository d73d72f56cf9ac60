// Submissions and waits, in orders that vkd3d's fences have trouble with.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "../support.hpp"
#include "d3d12/gpu/adapters.hpp"
#include "d3d12/gpu/gpu.hpp"

namespace gathernd::test {

TEST_CASE("queue: each submission ends, whichever of them are waited for") {
  const auto gpu = d3d12::open_adapter(0);
  const auto from = gpu->allocate(d3d12::Heap::kDevice, 1 << 16);
  const auto to = gpu->allocate(d3d12::Heap::kDevice, 1 << 16);
  Random random(91);
  for (int round = 0; round < 8000; ++round) {
    uint64_t last = 0;
    for (int64_t more = random(1, 6); more > 0; --more) {
      // A long one now and then, so that several are under way.
      for (int64_t copies = random.one_in(4) ? 40 : 1; copies > 0; --copies) {
        gpu->copy(*to, 0, *from, 0, 1 << 16);
      }
      last = gpu->submit();
    }
    gpu->wait(last - std::min<uint64_t>(last, random.bits() % 3));
  }
  gpu->finish();
  // A device says so a little later than its fences.
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (!gpu->ended() && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  CHECK(gpu->ended());
}

}  // namespace gathernd::test
