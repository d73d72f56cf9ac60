// Arrays that stay on the device: results, and what errors leave of them.
#include <doctest/doctest.h>

#include <cstring>

#include "answers.hpp"
#include "gathernd/device.hpp"
#include "gathernd/error.hpp"
#include "gathernd/index_plan.hpp"
#include "tuning.hpp"

namespace gathernd::testing {
namespace {

// The arrays of a case on the device, and its calls there.
struct There {
  explicit There(const Case& c)
      : arrays(c), input(upload(arrays.input)), indices(upload(arrays.indices)) {
    rows = upload(arrays.rows);
    const PlanOptions options = {.mode = c.mode, .reduction = c.reduction};
    gather_plan = make_plan(Operator::kGather, arrays.input.tensor(), arrays.indices.tensor(),
                            arrays.rows.tensor(), {});
    scatter_plan = make_plan(Operator::kScatter, arrays.input.tensor(), arrays.indices.tensor(),
                             arrays.rows.tensor(), options);
  }

  static DeviceMemoryPtr upload(Array& array) {
    return d3d12_api().backend(0).upload(array.tensor());
  }
  DeviceMemoryPtr gather() const {
    return d3d12_api().backend(0).gather(gather_plan, *input, *indices, nullptr);
  }
  DeviceMemoryPtr scatter(bool in_place) const {
    return d3d12_api().backend(0).scatter(scatter_plan, input, *indices, *rows, in_place);
  }

  Arrays arrays;
  DeviceMemoryPtr input, indices, rows;
  Plan gather_plan, scatter_plan;
};

Bytes download(const DeviceMemoryPtr& memory, const Array& like) {
  Array result(like.dtype, like.shape);
  d3d12_api().backend(0).download(*memory, result.tensor(), false);
  return result.bytes;
}

// What lies on it is lost; the next call opens another, without any memory yet.
void lose_device() {
  inject_device_fault("ID3D12Fence::GetCompletedValue", -1);
  CHECK_THROWS_AS(There({.outer = {7}, .indexed = {3}}), Error);
}

TEST_CASE("device memory: updates that are the table itself, in place") {
  constexpr int32_t kRows = 100000;
  There there({.outer = {kRows}, .indexed = {kRows}, .dtype = {Kind::kInt32, 4}});
  Array tuples = there.arrays.indices;
  auto* index = reinterpret_cast<int32_t*>(tuples.bytes.data());
  for (int32_t t = 0; t < kRows; ++t) index[t] = kRows - 1 - t;
  const auto indices = There::upload(tuples);
  const auto result =
      d3d12_api().backend(0).scatter(there.scatter_plan, there.input, *indices, *there.input, true);
  const Bytes got = download(result, there.arrays.input);
  const auto value = [](const Bytes& from, int32_t i) {
    return reinterpret_cast<const int32_t*>(from.data())[i];
  };
  int32_t wrong = 0;
  for (int32_t t = 0; t < kRows; ++t) {
    wrong += value(got, t) != value(there.arrays.input.bytes, kRows - 1 - t);
  }
  CHECK(wrong == 0);
}

TEST_CASE("device memory: indices that are the table itself, in place") {
  const SmallPieces small(64, 100);  // the first chunk's updates come before the last is read
  constexpr int32_t kRows = 500;
  for (const Reduction reduction : {Reduction::kNone, Reduction::kAdd}) {
    const Case c{
        .outer = {kRows}, .indexed = {kRows}, .dtype = {Kind::kInt32, 4}, .reduction = reduction};
    There there(c);
    there.arrays.input.bytes = there.arrays.indices.bytes;
    const auto table = There::upload(there.arrays.input);
    const auto result =
        d3d12_api().backend(0).scatter(there.scatter_plan, table, *table, *there.rows, true);
    CHECK(download(result, there.arrays.input) == expected_scatter(c, there.arrays).bytes);
  }
}

TEST_CASE("device memory: a bad tuple of the last chunk leaves the table as it was") {
  const SmallPieces small(64, 100);
  for (const Reduction reduction : {Reduction::kNone, Reduction::kAdd}) {
    There there({.outer = {250}, .indexed = {40}, .slice = {3}, .reduction = reduction});
    Array indices = there.arrays.indices;
    reinterpret_cast<int32_t*>(indices.bytes.data())[249] = 40;
    there.indices = There::upload(indices);
    CHECK_THROWS_AS(there.scatter(true), Error);
    CHECK(download(there.input, there.arrays.input) == there.arrays.input.bytes);
  }
}

TEST_CASE("device memory: results stay, and stay as they are after errors") {
  for (const Mode mode : {Mode::kDrop, Mode::kRaise}) {
    const Case c{.outer = {60}, .indexed = {9}, .slice = {5}, .mode = mode, .bad = 0.2};
    There there(c);
    const Array& input = there.arrays.input;
    if (mode == Mode::kRaise) {
      CHECK_THROWS_AS(there.scatter(true), Error);
      CHECK(download(there.input, input) == input.bytes);
      continue;
    }
    const Answer expected = expected_scatter(c, there.arrays);
    CHECK(download(there.scatter(false), input) == expected.bytes);
    CHECK(download(there.input, input) == input.bytes);
    CHECK(there.scatter(true) == there.input);
    CHECK(download(there.input, input) == expected.bytes);
  }
}

TEST_CASE("device memory: too little of it is refused") {
  const Case c{.outer = {60}, .indexed = {9}, .slice = {5}};
  There right(c), little({.outer = {20}, .indexed = {2}, .slice = {5}});
  DeviceBackend& device = d3d12_api().backend(0);
  CHECK_THROWS_AS(download(little.input, right.arrays.input), Error);
  for (DeviceMemoryPtr There::* argument : {&There::input, &There::indices, &There::rows}) {
    There there(c);
    there.*argument = little.*argument;
    CHECK_THROWS_AS(there.scatter(false), Error);
    CHECK_THROWS_AS(there.scatter(true), Error);
    if (argument != &There::rows) CHECK_THROWS_AS(there.gather(), Error);
  }
  const DType dtype = right.arrays.input.dtype;
  CHECK_THROWS_AS(device.match(dtype, *little.input, *right.input, 9, 5), Error);
  CHECK_THROWS_AS(device.match(dtype, *right.input, *little.input, 9, 5), Error);

  const Tensor input = right.arrays.input.tensor(), rows = right.arrays.rows.tensor();
  const Tensor indices = right.arrays.indices.tensor();
  CHECK_THROWS_AS(IndexPlan(input.shape, indices, *little.indices, 0, Mode::kRaise, device), Error);
  const IndexPlan plan(input.shape, indices, *right.indices, 0, Mode::kRaise, device);
  CHECK_THROWS_AS(plan.gather(input, *little.input), Error);
  CHECK_THROWS_AS(plan.scatter(input, little.input, rows, *right.rows, Reduction::kNone,
                               Duplicates::kLast, true),
                  Error);
  CHECK_THROWS_AS(plan.scatter(input, right.input, rows, *little.rows, Reduction::kNone,
                               Duplicates::kLast, true),
                  Error);
  const std::vector<int64_t> ones(3000, 1), strides(3000, 4);
  CHECK_THROWS_AS(plan.result_strides({nullptr, dtype, ones, strides}, rows), Error);
}

TEST_CASE("arrays of a lost device are refused, not read") {
  constexpr const char* kRefused =
      "[d3d12] the array or plan was lost with its device: ID3D12Fence::GetCompletedValue: the "
      "device did not finish in time";
  for (const Reduction reduction : {Reduction::kNone, Reduction::kAdd}) {
    const Case c{.outer = {7}, .indexed = {3}, .slice = {2}, .reduction = reduction};
    There lost(c);
    CHECK(download(lost.input, lost.arrays.input) == lost.arrays.input.bytes);
    lose_device();
    CHECK_THROWS_WITH_AS(download(lost.input, lost.arrays.input), kRefused, Error);
    for (DeviceMemoryPtr There::* argument : {&There::input, &There::indices, &There::rows}) {
      There there(c);
      there.*argument = lost.*argument;
      CHECK_THROWS_WITH_AS(there.scatter(false), kRefused, Error);
      CHECK_THROWS_WITH_AS(there.scatter(true), kRefused, Error);
      if (argument != &There::rows) CHECK_THROWS_WITH_AS(there.gather(), kRefused, Error);
    }
    CHECK(check_scatter(c));
  }
}

constexpr const char* kAllocation = "ID3D12Device::CreateCommittedResource";
constexpr const char* kPipeline = "ID3D12Device::CreateComputePipelineState";

// With each D3D12 call of that name in a scatter in place failing in turn, the array is as before.
void check_in_place(const Case& c, const char* name) {
  constexpr auto kOutOfMemory = static_cast<int32_t>(0x8007000e);
  bool failed = true;
  for (int call = 0; failed; ++call) {
    CAPTURE(name);
    CAPTURE(call);
    lose_device();
    There there(c);
    Array& indices = there.arrays.indices;
    std::memset(indices.bytes.data(), 0, indices.bytes.size() / 4);  // many tuples for one row
    there.indices = There::upload(indices);
    inject_device_fault(name, kOutOfMemory, call);
    if (name == kAllocation) inject_device_fault(name, kOutOfMemory, 0);  // it is tried twice
    try {
      there.scatter(true);
      failed = false;
    } catch (const Error&) {
    }
    inject_device_fault("", 0);
    const Bytes got = download(there.input, there.arrays.input);
    CHECK(got == (failed ? there.arrays.input.bytes : expected_scatter(c, there.arrays).bytes));
  }
}

TEST_CASE("device memory: where memory is short, a call in place changes nothing") {
  Case c{.outer = {400}, .indexed = {258}, .dtype = {Kind::kInt32, 4}};
  for (const Reduction reduction : {Reduction::kNone, Reduction::kAdd}) {
    c.reduction = reduction;
    for (const char* name : {kAllocation, kPipeline}) check_in_place(c, name);
    const SmallPieces small(64, 100);  // several windows and chunks
    check_in_place(c, kAllocation);
  }
  // Work is submitted as soon as it is recorded.
  for (const Reduction reduction : {Reduction::kNone, Reduction::kAdd, Reduction::kMul}) {
    const ScopedTuning hasty(changed([](d3d12::Tuning& t) { t.submission = 1; }));
    c.reduction = reduction;
    check_in_place(c, kAllocation);
  }
  const SmallPieces small(64, 100);
  c.dtype = {Kind::kFloat16, 2};
  c.values = Values::kNear;
  for (const char* name : {kAllocation, kPipeline}) check_in_place(c, name);
}

TEST_CASE("devices are found by their names") {
  const std::vector<DeviceInfo> all = devices();
  REQUIRE(!all.empty());
  for (const DeviceInfo& info : all) {
    DeviceBackend* const device = find_device(info.name);
    REQUIRE(device != nullptr);
    CHECK(device->name() == info.name);
  }
  CHECK(find_device("d3d12") == find_device("d3d12:0"));
  CHECK(find_device("d3d12:0") == &d3d12_api().backend(0));
  for (const char* name : {"", "cpu", "cuda", "cuda:0", "d3d12:", "d3d12:00", "d3d12:99", "d3d1"}) {
    CHECK(find_device(name) == nullptr);
  }
}

}  // namespace
}  // namespace gathernd::testing
