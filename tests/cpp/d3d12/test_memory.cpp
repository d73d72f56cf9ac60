#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "cases.hpp"
#include "d3d12/gpu/failure.hpp"
#include "d3d12/memory/memory.hpp"

namespace gathernd::testing {
namespace {

using d3d12::BufferPtr;
using d3d12::Memory;

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kKept = 256 * kMiB;

// Has so many bytes, and counts them; runs nothing.
class FakeGpu final : public d3d12::Gpu {
 public:
  explicit FakeGpu(uint64_t size) : size_(size) {}
  uint64_t used() const { return used_; }

  BufferPtr allocate(d3d12::Heap, uint64_t bytes) override {
    if (used_ + bytes > size_) {
      throw d3d12::OutOfMemory("full");
    }
    used_ += bytes;
    return std::make_shared<Counted>(bytes, &used_);
  }
  void copy(d3d12::Buffer&, uint64_t, d3d12::Buffer&, uint64_t, uint64_t) override {}
  void dispatch(const d3d12::Shader&, std::span<const uint32_t>, std::span<const d3d12::View>,
                std::span<const d3d12::View>, uint64_t, d3d12::Cost) override {}
  void prepare(const d3d12::Shader&) override {}
  uint64_t submit() override { return 0; }
  void wait(uint64_t) override {}
  void finish() override {}
  void discard() override {}
  bool lost() const override { return false; }
  bool ended() override { return true; }
  void retire() override {}

 private:
  struct Counted final : d3d12::Buffer {
    Counted(uint64_t bytes, std::atomic<uint64_t>* used) : Buffer(bytes, nullptr), used_(used) {}
    ~Counted() override { *used_ -= size(); }
    std::byte* mapped() override {
      bytes_.resize(size());
      return bytes_.data();
    }
    void drop() override {}
    std::atomic<uint64_t>* used_;
    std::vector<std::byte> bytes_;
  };

  uint64_t size_;
  std::atomic<uint64_t> used_{0};
};

TEST_CASE("memory: what is free is used again, and little of it stays") {
  FakeGpu gpu(1024 * kMiB);
  Memory memory(gpu);
  const d3d12::Buffer* first = memory.take(100 * kMiB).get();
  CHECK(memory.take(90 * kMiB).get() == first);
  memory.take(900 * kMiB);
  CHECK(gpu.used() == 1000 * kMiB);
  memory.trim();
  CHECK(gpu.used() == 100 * kMiB);
  const BufferPtr held = memory.take(300 * kMiB);
  memory.trim();
  CHECK(gpu.used() == 400 * kMiB);
}

TEST_CASE("memory: where there is no more, what is free goes") {
  FakeGpu gpu(kKept);
  Memory memory(gpu);
  memory.take(200 * kMiB);
  const BufferPtr held = memory.take(20 * kMiB);
  const BufferPtr own = memory.allocate(100 * kMiB);
  CHECK(gpu.used() == 120 * kMiB);
  memory.take(50 * kMiB);
  const BufferPtr other = memory.take(120 * kMiB);
  CHECK(gpu.used() == 240 * kMiB);
  CHECK_THROWS_AS(memory.allocate(kKept), d3d12::OutOfMemory);
  CHECK_THROWS_AS(memory.take(kKept), d3d12::OutOfMemory);
  CHECK(gpu.used() == 240 * kMiB);
}

TEST_CASE("memory: of what is free the smallest is taken that has enough") {
  FakeGpu gpu(1024 * kMiB);
  Memory memory(gpu);
  BufferPtr large = memory.take(20 * kMiB), small = memory.take(10 * kMiB);
  const d3d12::Buffer *const first = large.get(), *const second = small.get();
  large = small = nullptr;
  CHECK(memory.take(9 * kMiB).get() == second);
  CHECK(memory.take(11 * kMiB).get() == first);
  CHECK(memory.take(4 * kMiB).get() != second);  // far too large
  CHECK(gpu.used() == 34 * kMiB);
  const BufferPtr held = memory.take(9 * kMiB);
  CHECK(held.get() == second);
  CHECK(memory.take(10 * kMiB).get() == first);
  CHECK(gpu.used() == 34 * kMiB);
}

TEST_CASE("memory: staging that a large element needed goes when the call ends") {
  FakeGpu gpu(1024 * kMiB);
  Memory memory(gpu);
  const BufferPtr large = memory.allocate(64 * kMiB);
  Array element({Kind::kOther, 64 * kMiB}, {1});
  const auto round = [&] {
    memory.upload(*large, element.tensor());
    memory.download(*large, element.tensor(), true);
    memory.trim();
  };
  round();
  CHECK(gpu.used() < (64 + 2 * 16) * kMiB);
  element = Array({Kind::kOther, 1}, {64 * kMiB});
  round();
  const uint64_t used = gpu.used();
  CHECK(used > 64 * kMiB);
  round();
  CHECK(gpu.used() == used);  // the usual blocks stay
}

TEST_CASE("memory: leases end on any thread") {
  FakeGpu gpu(1024 * kMiB);
  Memory memory(gpu);
  constexpr int kTurns = 2000, kHeld = 8;
  std::array<std::atomic<BufferPtr*>, kHeld> held = {};
  const auto end = [&](size_t i) { delete held[i].exchange(nullptr); };
  std::thread other([&] {
    for (int turn = 0; turn < kTurns; ++turn) end(static_cast<size_t>(turn % kHeld));
  });
  for (int turn = 0; turn < kTurns; ++turn) {
    const auto i = static_cast<size_t>(turn % kHeld);
    auto* const next = new BufferPtr(memory.take(kMiB + static_cast<uint64_t>(turn % 3)));
    delete held[i].exchange(next);
    if (turn % 16 == 0) memory.trim();
  }
  other.join();
  for (size_t i = 0; i < kHeld; ++i) end(i);
  CHECK(gpu.used() < 2 * 3 * kHeld * kMiB);
}

TEST_CASE("memory: of leases that end between calls no more stays than of a call's scratch") {
  FakeGpu gpu(1024 * kMiB);
  Memory memory(gpu);
  std::vector<BufferPtr> held(40);
  for (BufferPtr& one : held) one = memory.take(16 * kMiB);
  memory.trim();  // the call ends
  held.clear();
  CHECK(gpu.used() == kKept);
  const BufferPtr scratch = memory.take(16 * kMiB);
  held.resize(40);
  for (BufferPtr& one : held) one = memory.take(16 * kMiB);
  held.clear();
  CHECK(gpu.used() == 41 * 16 * kMiB);  // that a call may want again
  memory.trim();
  CHECK(gpu.used() == 16 * kMiB + kKept);
}

TEST_CASE("memory: leases outlive it, and then their buffers go with them") {
  FakeGpu gpu(1024 * kMiB);
  std::optional<Memory> memory(gpu);
  BufferPtr lease = memory->take(10 * kMiB);
  memory->take(20 * kMiB);
  memory.reset();
  CHECK(gpu.used() == 10 * kMiB);
  lease = nullptr;
  CHECK(gpu.used() == 0);
}

TEST_CASE("memory: how long take() takes does not depend on how many leases there are") {
  FakeGpu gpu(1024 * kMiB);
  Memory memory(gpu);
  const auto time = [&] {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i) memory.take(512);
    return std::chrono::steady_clock::now() - start;
  };
  const auto shortest = [&] { return std::min({time(), time(), time(), time(), time()}); };
  const auto before = shortest();
  std::vector<BufferPtr> held(20000);
  for (BufferPtr& one : held) one = memory.take(256);
  CHECK(shortest() < 20 * before);
}

TEST_CASE("memory: epochs go on where the last call's ended, until they are discarded") {
  FakeGpu gpu(kKept + 100 * kMiB);
  Memory memory(gpu);
  const auto floor_of = [&](uint64_t slots) {
    d3d12::EpochTable table = memory.take_epoch_table(slots);
    const uint32_t floor = table.begin(gpu, 10);
    memory.give_epoch_table(std::move(table));
    return floor;
  };
  CHECK(floor_of(1000) == 0);
  CHECK(floor_of(1000) == 10);
  CHECK(floor_of(10) == 20);
  CHECK(floor_of(1001) == 0);  // others
  CHECK(floor_of(1000) == 10);
  memory.discard();
  CHECK(floor_of(1000) == 0);
  CHECK(floor_of(25 * kMiB) == 0);
  memory.take(200 * kMiB);
  memory.trim();
  CHECK(gpu.used() < 101 * kMiB);  // of both no more than kKept would stay
  CHECK(floor_of(25 * kMiB) == 10);
  const BufferPtr held = memory.allocate(kKept + 10 * kMiB);  // there is less beside them
  CHECK(floor_of(1000) == 0);
  CHECK(floor_of(65 * kMiB / 4) == 0);
  CHECK(floor_of(65 * kMiB / 4) == 10);
}

TEST_CASE("memory: of clean words one buffer stays") {
  FakeGpu gpu(kKept);
  Memory memory(gpu);
  for (const uint64_t words : {1u, 64u, 65u, 5000u, 1u, 5000u}) {
    for (int i = 0; i < 20; ++i) memory.give_clean(memory.take_clean(words));
  }
  CHECK(gpu.used() < 100000);
}

}  // namespace
}  // namespace gathernd::testing
