// Reductions of elements that only grow: a sample decides on the device which way they go.
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

bool samples(const Trace& trace) {
  const auto calls = trace.calls();
  return std::ranges::any_of(
      calls, [](const auto& call) { return call.find(", or atomics") != std::string::npos; });
}

}  // namespace

TEST_CASE("growing: everything may grow, then nothing does, then little") {
  const Samples sampled;
  int calls = 0;
  for (const auto& [dtype, reduction] : kKinds) {
    for (const int64_t bytes : {48, 64, 1024}) {
      for (const auto& [tuples, rows] : {std::pair{1, 1}, {500, 7}, {700, 500}, {3000, 60}}) {
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
        CHECK(samples(trace));
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
  const Samples sampled;
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

TEST_CASE("growing: a bad tuple leaves the caller's table as it was, whatever the sample says") {
  const Samples sampled;
  for (const bool grows : {false, true}) {
    Arrays arrays({.outer = {600}, .indexed = {40}, .slice = {16}});
    const auto fill = [](Array& array, float value) {
      for (size_t at = 0; at < array.bytes.size(); at += 4) {
        std::memcpy(array.bytes.data() + at, &value, 4);
      }
    };
    fill(arrays.input, 2);
    fill(arrays.rows, grows ? 3 : 1);
    const float large = 4;  // of an element that no sample may see
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

// Lists count the long rows; atomics do not.
TEST_CASE("growing: the sample decides") {
  const Samples sampled;
  const auto gpu = d3d12::open_adapter(0);
  d3d12::Memory memory(*gpu);
  Array table({Kind::kFloat32, 4}, {40, 16}), rows({Kind::kFloat32, 4}, {4000, 16});
  Array indices({Kind::kInt32, 4}, {4000, 1});
  for (int32_t t = 0; t < 4000; ++t) {
    const int32_t row = t % 40;
    std::memcpy(indices.bytes.data() + t * 4, &row, 4);
  }
  const Plan plan = make_plan(Operator::kScatter, table.tensor(), indices.tensor(), rows.tensor(),
                              {0, Mode::kRaise, Reduction::kMax});
  const d3d12::Operands operands = {gpu->allocate(Heap::kDevice, table.bytes.size()),
                                    gpu->allocate(Heap::kDevice, indices.bytes.size()),
                                    gpu->allocate(Heap::kDevice, rows.bytes.size())};
  memory.upload(*operands.indices, indices.tensor());
  const auto goes_by_lists = [&](float before, float update) {
    for (const auto& [array, value] : {std::pair{&table, before}, {&rows, update}}) {
      for (size_t at = 0; at < array->bytes.size(); at += 4) {
        std::memcpy(array->bytes.data() + at, &value, 4);
      }
    }
    memory.upload(*operands.table, table.tensor());
    memory.upload(*operands.rows, rows.tensor());
    const std::vector<uint32_t> words = d3d12::scatter(*gpu, memory, plan, operands).read_status();
    memory.download(*operands.table, table.tensor(), false);
    float after = 0;
    std::memcpy(&after, table.bytes.data(), 4);
    CHECK(after == std::max(before, update));
    return std::ranges::any_of(words, [](uint32_t word) { return word != d3d12::kNone; });
  };
  d3d12::Tuning tuning = d3d12::tuning();
  tuning.list_tuples = 1000;
  const ScopedTuning lists(tuning);
  CHECK(goes_by_lists(1, 2));
  CHECK_FALSE(goes_by_lists(2, 2));
  CHECK_FALSE(goes_by_lists(3, 2));
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
