#include <doctest/doctest.h>

#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "answers.hpp"
#include "gathernd/device.hpp"
#include "gathernd/error.hpp"
#include "gathernd/gathernd.hpp"
#include "tuning.hpp"

namespace gathernd::testing {
namespace {

constexpr DType kTypes[] = {{Kind::kInt8, 1},   {Kind::kUInt16, 2},  {Kind::kInt32, 4},
                            {Kind::kUInt32, 4}, {Kind::kFloat32, 4}, {Kind::kInt64, 8},
                            {Kind::kUInt64, 8}};
constexpr Reduction kReductions[] = {Reduction::kAdd, Reduction::kSub, Reduction::kMin,
                                     Reduction::kMax, Reduction::kAnd, Reduction::kOr,
                                     Reduction::kXor};

// Rows that go by atomics in every reduction.
template <class F>
void for_each_short_row(F f) {
  for (const bool merges : {false, true}) {
    const Preaggregates limits(merges);
    for (const DType dtype : kTypes) {
      for (const Reduction reduction : kReductions) {
        if (!is_reducible(dtype.kind, reduction)) continue;
        for (const int64_t bytes : {4, 8, 12, 32}) {
          if (bytes % dtype.size == 0) f(dtype, reduction, bytes / dtype.size);
        }
      }
    }
  }
}

TEST_CASE("unordered: few and many tuples a row, and more rows than can meet") {
  for_each_short_row([](DType dtype, Reduction reduction, int64_t length) {
    for (const auto& [tuples, rows] : {std::pair{700, 1}, {700, 60}, {5000, 4000}}) {
      if (tuples == 5000 && length * dtype.size != 8) continue;
      CHECK(check_scatter({.outer = {tuples},
                           .indexed = {rows},
                           .slice = {length},
                           .dtype = dtype,
                           .reduction = reduction}));
    }
  });
}

TEST_CASE("unordered: batches, tuples out of range, indices that need resolving") {
  constexpr Mode kModes[] = {Mode::kRaise, Mode::kClip, Mode::kWrap, Mode::kDrop};
  size_t turn = 0;
  for_each_short_row([&](DType dtype, Reduction reduction, int64_t length) {
    const Mode mode = kModes[(turn + turn / 4) % 4];  // there may be four lengths
    ++turn;
    CHECK(check_scatter({.batch = {3},
                         .outer = {70},
                         .indexed = {3, 4},
                         .slice = {length},
                         .dtype = dtype,
                         .index_type = {mode == Mode::kClip ? Kind::kInt16 : Kind::kInt64,
                                        mode == Mode::kClip ? 2 : 8},
                         .mode = mode,
                         .reduction = reduction,
                         .bad = 0.2}));
  });
}

TEST_CASE("unordered: windows and chunks") {
  for (const bool merges : {false, true}) {
    const SmallPieces small(64, 50);
    const Preaggregates limits(merges);
    for (const DType dtype : kTypes) {
      for (const Reduction reduction : kReductions) {
        if (!is_reducible(dtype.kind, reduction)) continue;
        CHECK(check_scatter({.outer = {110},
                             .indexed = {60},
                             .slice = {16 / dtype.size},
                             .dtype = dtype,
                             .reduction = reduction}));
      }
    }
  }
}

// Rows of zeros; tuple t writes t + 1.
void check_any(int64_t tuples, int64_t rows) {
  const Case c{.outer = {tuples},
               .indexed = {rows},
               .dtype = {Kind::kInt32, 4},
               .duplicates = Duplicates::kAny};
  Arrays arrays(c);
  std::vector<std::set<int32_t>> candidates(static_cast<size_t>(rows));
  auto* row = reinterpret_cast<int32_t*>(arrays.rows.bytes.data());
  const auto* index = reinterpret_cast<const int32_t*>(arrays.indices.bytes.data());
  std::memset(arrays.input.bytes.data(), 0, arrays.input.bytes.size());
  for (int64_t t = 0; t < tuples; ++t) {
    row[t] = static_cast<int32_t>(t + 1);
    candidates[static_cast<size_t>(index[t] < 0 ? index[t] + rows : index[t])].insert(row[t]);
  }
  const Answer answer = device_scatter(c, arrays);
  REQUIRE(answer.error == "");
  const auto* result = reinterpret_cast<const int32_t*>(answer.bytes.data());
  for (size_t r = 0; r < candidates.size(); ++r) {
    CHECK((candidates[r].empty() ? result[r] == 0 : candidates[r].contains(result[r])));
  }
}

TEST_CASE("unordered: any of the duplicates, whole") {
  for (const bool merges : {false, true}) {
    const Preaggregates limits(merges);
    for (const auto& [tuples, rows] : {std::pair{1000, 1}, {1000, 50}, {900, 4000}}) {
      check_any(tuples, rows);
    }
  }
}

// The last of the tuples is out of range.
void check_untouched(DType dtype, Reduction reduction, DType index_type, int64_t length) {
  const Case c{.outer = {300},
               .indexed = {90},
               .slice = {length},
               .dtype = dtype,
               .index_type = index_type,
               .reduction = reduction};
  Arrays arrays(c);
  const int32_t bad = 90;
  std::memcpy(arrays.indices.bytes.data() + 299 * index_type.size, &bad,
              static_cast<size_t>(index_type.size));
  DeviceBackend& backend = d3d12_api().backend(0);
  const Tensor table = arrays.input.tensor();
  const DeviceMemoryPtr input = backend.upload(table);
  const DeviceMemoryPtr indices = backend.upload(arrays.indices.tensor());
  const DeviceMemoryPtr rows = backend.upload(arrays.rows.tensor());
  const Plan plan = make_plan(Operator::kScatter, table, arrays.indices.tensor(),
                              arrays.rows.tensor(), {.reduction = reduction});
  CHECK_THROWS_AS(backend.scatter(plan, input, *indices, *rows, true), Error);
  const Bytes before = arrays.input.bytes;
  backend.download(*input, table, false);
  CHECK(arrays.input.bytes == before);
}

TEST_CASE("unordered: a bad tuple leaves a table in place as it was") {
  for (const bool divided : {false, true}) {
    const SmallPieces small(divided ? 64 : 1 << 20, divided ? 100 : 1 << 20);
    for (const DType index_type : {DType{Kind::kInt16, 2}, DType{Kind::kInt32, 4}}) {
      check_untouched({Kind::kInt32, 4}, Reduction::kAdd, index_type, 2);
      check_untouched({Kind::kInt64, 8}, Reduction::kSub, index_type, 2);
      check_untouched({Kind::kFloat32, 4}, Reduction::kMax, index_type, 1);
      const ByTuple sparse;
      check_untouched({Kind::kUInt32, 4}, Reduction::kAnd, index_type, 30);
    }
  }
}

}  // namespace
}  // namespace gathernd::testing
