// Reductions of elements that only grow: the device looks how much does, and decides which way they
// go.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "answers.hpp"
#include "d3d12/gpu/adapters.hpp"
#include "d3d12/memory/kernels.hpp"
#include "d3d12/operators/operators.hpp"
#include "gathernd/device.hpp"
#include "gathernd/error.hpp"
#include "runtime/trace.hpp"
#include "tuning.hpp"

namespace gathernd::testing {
namespace {

using d3d12::BufferPtr;
using d3d12::Format;
using d3d12::Heap;

constexpr std::pair<DType, Reduction> kKinds[] = {
    {{Kind::kFloat32, 4}, Reduction::kMax}, {{Kind::kFloat32, 4}, Reduction::kMin},
    {{Kind::kInt32, 4}, Reduction::kMax},   {{Kind::kInt32, 4}, Reduction::kMin},
    {{Kind::kUInt32, 4}, Reduction::kMax},  {{Kind::kUInt32, 4}, Reduction::kMin},
    {{Kind::kInt8, 1}, Reduction::kOr},     {{Kind::kUInt64, 8}, Reduction::kAnd}};

bool looks_first(const Trace& trace) {
  const auto calls = trace.calls();
  return std::ranges::any_of(
      calls, [](const auto& call) { return call.find(", or atomics") != std::string::npos; });
}

}  // namespace

TEST_CASE("growing: everything may grow, then nothing does, then little") {
  const LooksFirst looks;
  int calls = 0;
  for (const auto& [dtype, reduction] : kKinds) {
    for (const int64_t bytes : {48, 64, 1024}) {
      for (const auto& [tuples, rows] : {std::pair{1, 1}, {500, 7}, {700, 500}, {3000, 60}}) {
        if (bytes == 1024 && tuples == 3000) continue;  // seconds of lavapipe
        const Case c{.outer = {tuples},
                     .indexed = {rows},
                     .slice = {bytes / dtype.size},
                     .dtype = dtype,
                     .mode = calls % 3 == 0 ? Mode::kDrop : Mode::kRaise,
                     .reduction = reduction,
                     .bad = calls % 3 == 0 ? 0.2 : 0,
                     .seed = static_cast<uint64_t>(calls),
                     .values = calls % 2 == 0 ? Values::kNear : Values::kAny};
        ++calls;
        const Trace trace;
        Arrays arrays(c);
        CHECK(check_scatter(c, arrays));
        CHECK(looks_first(trace));
        const Bytes before = arrays.input.bytes;
        arrays.input.bytes = expected_scatter(c, arrays).bytes;
        CHECK(check_scatter(c, arrays));
        std::copy_n(before.end() - bytes, bytes, arrays.input.bytes.end() - bytes);
        CHECK(check_scatter(c, arrays));
      }
    }
  }
}

TEST_CASE("growing: batches, and indices of several components") {
  const LooksFirst looks;
  for (const auto& [dtype, reduction] : kKinds) {
    for (const Mode mode : {Mode::kRaise, Mode::kClip, Mode::kWrap, Mode::kDrop}) {
      CHECK(check_scatter({.batch = {3},
                           .outer = {70},
                           .indexed = {3, 4},
                           .slice = {64 / dtype.size},
                           .dtype = dtype,
                           .index_type = {Kind::kInt64, 8},
                           .mode = mode,
                           .reduction = reduction,
                           .bad = mode == Mode::kRaise ? 0 : 0.2}));
    }
  }
}

TEST_CASE("growing: a bad tuple leaves the caller's table as it was, however much grows") {
  const LooksFirst looks;
  for (const bool grows : {false, true}) {
    Arrays arrays({.outer = {600}, .indexed = {40}, .slice = {16}});
    const auto fill = [](Array& array, float value) {
      for (size_t at = 0; at < array.bytes.size(); at += 4) {
        std::memcpy(array.bytes.data() + at, &value, 4);
      }
    };
    fill(arrays.input, 2);
    fill(arrays.rows, grows ? 3 : 1);
    const float large = 4;
    std::memcpy(arrays.rows.bytes.data(), &large, 4);
    const int32_t bad = 40;
    std::memcpy(arrays.indices.bytes.data() + 599 * 4, &bad, 4);
    DeviceBackend& backend = d3d12_api().backend(0);
    const DeviceMemoryPtr table = backend.upload(arrays.input.tensor());
    const DeviceMemoryPtr indices = backend.upload(arrays.indices.tensor());
    const DeviceMemoryPtr rows = backend.upload(arrays.rows.tensor());
    const Plan plan = make_plan(Operator::kScatter, arrays.input.tensor(), arrays.indices.tensor(),
                                arrays.rows.tensor(), {0, Mode::kRaise, Reduction::kMax});
    CHECK_THROWS_AS(backend.scatter(plan, table, *indices, *rows, true), Error);
    Array after = arrays.input;
    backend.download(*table, after.tensor(), false);
    CHECK(after.bytes == arrays.input.bytes);
  }
}

// Lists count the long rows in status words. The last word counts the units that may grow, less 1.
TEST_CASE("growing: the device decides by how much grows") {
  const LooksFirst looks;
  const auto gpu = d3d12::open_adapter(0);
  d3d12::Memory memory(*gpu);
  constexpr int kTuples = 4000, kRows = 40, kWidth = 16;
  constexpr uint32_t kMost = kTuples * kWidth / 4 / 32 + 1;  // units that are listed
  Array table({Kind::kFloat32, 4}, {kRows, kWidth}), rows({Kind::kFloat32, 4}, {kTuples, kWidth});
  Array indices({Kind::kInt32, 4}, {kTuples, 1});
  for (int32_t t = 0; t < kTuples; ++t) {
    const int32_t row = t % kRows;
    std::memcpy(indices.bytes.data() + t * 4, &row, 4);
  }
  const Plan plan = make_plan(Operator::kScatter, table.tensor(), indices.tensor(), rows.tensor(),
                              {0, Mode::kRaise, Reduction::kMax});
  const d3d12::Operands operands = {gpu->allocate(Heap::kDevice, table.bytes.size()),
                                    gpu->allocate(Heap::kDevice, indices.bytes.size()),
                                    gpu->allocate(Heap::kDevice, rows.bytes.size())};
  memory.upload(*operands.indices, indices.tensor());
  // The first `larger` updates change the table, each in its last element. `listed`: the units that
  // the device lists.
  const auto goes_by_lists = [&](uint32_t larger, bool much_grew, uint32_t listed) {
    gpu->much_grows = much_grew;
    std::vector<float> before(kRows * kWidth, 2), updates(kTuples * kWidth, 2);
    const auto of_tuple = [](uint32_t t) { return static_cast<float>(3 + t); };
    for (uint32_t t = 0; t < larger; ++t) updates[(t + 1) * kWidth - 1] = of_tuple(t);
    std::memcpy(table.bytes.data(), before.data(), table.bytes.size());
    std::memcpy(rows.bytes.data(), updates.data(), rows.bytes.size());
    memory.upload(*operands.table, table.tensor());
    memory.upload(*operands.rows, rows.tensor());
    const std::vector<uint32_t> words = d3d12::scatter(*gpu, memory, plan, operands).read_status();
    for (uint32_t t = 0; t < larger; ++t) {
      float& element = before[(t % kRows + 1) * kWidth - 1];
      element = std::max(element, of_tuple(t));
    }
    memory.download(*operands.table, table.tensor(), false);
    CHECK(std::memcmp(table.bytes.data(), before.data(), table.bytes.size()) == 0);
    CHECK(std::min(words.back() + 1, kMost + 1) == listed);
    const bool result = std::any_of(words.begin(), words.end() - 1,
                                    [](uint32_t word) { return word != d3d12::kNone; });
    CHECK(gpu->much_grows == result);
    return result;
  };
  d3d12::Tuning tuning = d3d12::tuning();
  tuning.list_tuples = 1000;
  tuning.units_per_listed = 32;
  const ScopedTuning lists(tuning);
  CHECK_FALSE(goes_by_lists(0, false, 0));
  CHECK_FALSE(goes_by_lists(1, false, 1));
  CHECK_FALSE(goes_by_lists(kMost, false, kMost));
  CHECK(goes_by_lists(kMost + 1, false, kMost + 1));
  CHECK(goes_by_lists(kTuples, false, kMost + 1));
  // A sample comes first.
  CHECK_FALSE(goes_by_lists(0, true, 0));
  CHECK(goes_by_lists(kTuples, true, kMost + 1));
}

TEST_CASE("growing: a dispatch runs only under its condition") {
  const auto gpu = d3d12::open_adapter(0);
  d3d12::Memory memory(*gpu);
  const BufferPtr flag = memory.take(256), cleared = memory.take(256);
  for (const uint32_t value : {0u, 1u, 0u}) {
    for (const bool is_zero : {false, true}) {
      d3d12::clear(*gpu, d3d12::words(cleared, 4), 1);
      d3d12::clear(*gpu, d3d12::words(flag, 4), value);
      {
        const d3d12::OnlyIf only(*gpu, {flag.get(), is_zero});
        d3d12::clear(*gpu, d3d12::words(cleared, 4), 2);
      }
      uint32_t word = 0;
      memory.download(*cleared, 0, 4, &word);
      CHECK(word == ((value == 0) == is_zero ? 2 : 1));
    }
  }
}

}  // namespace gathernd::testing
