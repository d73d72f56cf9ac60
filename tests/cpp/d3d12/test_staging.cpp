#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "answers.hpp"
#include "cpu/common/slices.hpp"
#include "gathernd/device.hpp"
#include "runtime/settings.hpp"
#include "tuning.hpp"

namespace gathernd::testing {
namespace {

constexpr auto kOutOfMemory = static_cast<int32_t>(0x8007000e);
constexpr auto kRemoved = static_cast<int32_t>(0x887a0005);
constexpr uint64_t kView = 1 << 20;  // large: the pieces alone are small

// Every second element of both dimensions, the rows from last to first.
struct Sparse {
  explicit Sparse(int64_t size) : array({Kind::kOther, size}, {46, 62}) {
    shape = {array.shape[0] / 2, array.shape[1] / 2};
    strides = {-2 * array.strides[0], 2 * array.strides[1]};
  }
  Tensor tensor() {
    std::byte* last = array.bytes.data() + (array.shape[0] - 1) * array.strides[0];
    return {last, array.dtype, shape, strides};
  }

  Array array;
  Shape shape, strides;
};

TEST_CASE("staging: strided arrays go up and down in many pieces, by many threads") {
  const SmallPieces small(kView);
  const int threads_before = num_threads();
  set_grain(1);
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    for (const int64_t size : {0, 1, 3, 4, 8, 16, 200}) {
      for (const bool fresh : {false, true}) {
        CAPTURE(size);
        Sparse from(size), to(size), expected(size);
        for (size_t i = 0; i < from.array.bytes.size(); ++i) {
          from.array.bytes[i] = static_cast<std::byte>(i * 7 + i / 256);
        }
        copy_tensor(from.tensor(), expected.tensor());
        const DeviceMemoryPtr there = d3d12_api().backend(0).upload(from.tensor());
        d3d12_api().backend(0).download(*there, to.tensor(), fresh);
        CHECK(to.array.bytes == expected.array.bytes);
      }
    }
  }
  set_grain(0);
  set_num_threads(threads_before);
}

// At the `after`th of these D3D12 calls a gather of many pieces fails; its output is as before, and
// the next calls work. Says whether the call was reached.
bool check_fault_after(const std::string& call, int32_t result, int after) {
  CAPTURE(call);
  CAPTURE(after);
  const Case c{.outer = {40}, .indexed = {50}, .slice = {9}};
  Arrays arrays(c);
  inject_device_fault(call, result, after);
  const Answer answer = device_gather(c, arrays);
  inject_device_fault("", 0);
  if (answer.error.empty()) return false;
  CAPTURE(answer.error);
  REQUIRE(answer.error.find(call) != std::string::npos);
  CHECK(answer.error.find("was written") == std::string::npos);
  CHECK(check_gather(c));
  CHECK(check_scatter({.outer = {40}, .indexed = {50}, .slice = {3}}));
  return true;
}

TEST_CASE("staging: faults at every piece on the way up and down") {
  const SmallPieces small(kView);
  const std::pair<const char*, int32_t> faults[] = {
      {"ID3D12GraphicsCommandList::Close", kOutOfMemory}, {"ID3D12CommandQueue::Signal", kRemoved},
      {"ID3D12CommandAllocator::Reset", kOutOfMemory},    {"ID3D12Fence::GetCompletedValue", -1},
      {"ID3D12Device::GetDeviceRemovedReason", kRemoved},
  };
  for (const auto& [call, result] : faults) {
    int after = 0;
    while (check_fault_after(call, result, after)) after += 5;
    CHECK(after > 20);  // 1800 bytes up and 1440 down, 128 a piece
  }
}

TEST_CASE("staging: memory that runs out between two pieces") {
  for (const int after : {0, 1, 2, 3}) {
    const SmallPieces small(kView);
    // A fresh device has no staging yet.
    inject_device_fault("ID3D12Fence::GetCompletedValue", -1);
    Case c{.outer = {40}, .indexed = {50}, .slice = {9}};
    Arrays arrays(c);
    CHECK(!device_gather(c, arrays).error.empty());
    inject_device_fault("ID3D12Resource::Map", kOutOfMemory, after);  // it tries twice
    CHECK(check_fault_after("ID3D12Resource::Map", kOutOfMemory, 0));
  }
}

TEST_CASE("staging: a bad tuple is found while pieces are on their way") {
  const SmallPieces small(kView);
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    CHECK(check_gather({.outer = {300}, .indexed = {50}, .slice = {9}, .bad = 0.01, .seed = seed}));
    CHECK(check_gather({.outer = {300}, .indexed = {50}, .slice = {9}, .seed = seed}));
  }
}

}  // namespace
}  // namespace gathernd::testing
