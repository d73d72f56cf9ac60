#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "d3d12/failure.hpp"
#include "d3d12/memory.hpp"

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
      throw d3d12::OutOfMemory(ErrorKind::kDevice, "full");
    }
    used_ += bytes;
    return std::make_shared<Counted>(bytes, &used_);
  }
  void copy(d3d12::Buffer&, uint64_t, d3d12::Buffer&, uint64_t, uint64_t) override {}
  void dispatch(const d3d12::Shader&, std::span<const uint32_t>, std::span<const d3d12::View>,
                std::span<const d3d12::View>, uint64_t) override {}
  void prepare(const d3d12::Shader&) override {}
  uint64_t submit() override { return 0; }
  void wait(uint64_t) override {}
  void finish() override {}
  void discard() override {}
  bool lost() const override { return false; }
  bool idle() override { return true; }
  void release_buffers() override {}

 private:
  struct Counted final : d3d12::Buffer {
    Counted(uint64_t bytes, uint64_t* used) : Buffer(bytes, 0), used_(used) {}
    ~Counted() override { *used_ -= size(); }
    std::byte* mapped() override { return nullptr; }
    uint64_t* used_;
  };

  uint64_t size_;
  uint64_t used_ = 0;
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

TEST_CASE("memory: of clean words one buffer stays") {
  FakeGpu gpu(kKept);
  Memory memory(gpu);
  for (const uint64_t words : {1, 64, 65, 5000, 1, 5000}) {
    for (int i = 0; i < 20; ++i) memory.give_clean(memory.take_clean(words));
  }
  CHECK(gpu.used() < 100000);
}

}  // namespace
}  // namespace gathernd::testing
