// Scratch memory: large blocks are used again, by one user at a time.
#include "runtime/buffer.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "support.hpp"

namespace gathernd::test {

TEST_CASE("a large block is used again, for as much or less") {
  constexpr size_t kCount = (size_t{3} << 20) / sizeof(uint32_t);
  std::optional<Buffer<uint32_t>> first(kCount), second(kCount);
  CHECK(first->data() != second->data());
  const uint32_t* const blocks[] = {first->data(), second->data()};
  first.reset();
  second.reset();
  const Buffer<uint32_t> third(kCount), fourth(kCount * 5 / 4), fifth(kCount);
  CHECK(std::ranges::count(blocks, third.data()) == 1);
  CHECK(std::ranges::count(blocks, fourth.data()) == 1);
  CHECK(third.data() != fourth.data());
  CHECK(std::ranges::count(blocks, fifth.data()) == 0);
  std::fill_n(fourth.data(), kCount * 5 / 4, 1u);
}

TEST_CASE("a large block begins in the midst of a page") {
  for (const size_t kib : {256u, 300u, 512u, 1024u, 2048u, 20480u}) {
    const Buffer<std::byte> one(kib << 10), two(kib << 10), three(kib << 10);
    for (const auto* data : {one.data(), two.data(), three.data()}) {
      CHECK(reinterpret_cast<uintptr_t>(data) % 4096 == 2048);
    }
  }
}

TEST_CASE("buffers of no bytes, and of more than there are") {
  const Buffer<uint64_t> none(0);
  CHECK_THROWS_AS(Buffer<uint64_t>(SIZE_MAX / 8 + 1), std::bad_alloc);
  CHECK_THROWS_AS(Buffer<uint64_t>(SIZE_MAX / 8), std::bad_alloc);
}

TEST_CASE("threads never share a block") {
  std::vector<std::thread> threads;
  std::vector<int> errors(4);
  for (uint32_t id = 0; id < errors.size(); ++id) {
    threads.emplace_back([id, &errors] {
      for (int round = 0; round < 200; ++round) {
        constexpr size_t kCount = (size_t{2} << 20) / sizeof(uint32_t);
        const Buffer<uint32_t> buffer(kCount);
        for (size_t i = 0; i < kCount; i += 4096) buffer.data()[i] = id;
        for (size_t i = 0; i < kCount; i += 4096) errors[id] += buffer.data()[i] != id;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int count : errors) CHECK(count == 0);
}

}  // namespace gathernd::test
