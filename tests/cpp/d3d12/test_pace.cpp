// No submission keeps the device for long, by estimate.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "answers.hpp"
#include "d3d12/gpu/adapters.hpp"
#include "d3d12/gpu/pace.hpp"
#include "gathernd/device.hpp"
#include "tuning.hpp"

namespace gathernd::testing {
namespace {

using d3d12::Cost;
using d3d12::Pace;

constexpr double kMillisecond = 1e6;

double longest;
int submissions;

// Watches the submissions; of `budget` nanoseconds, that small arrays take several of them.
class Watch : ScopedTuning {
 public:
  explicit Watch(double budget)
      : ScopedTuning(changed([&](d3d12::Tuning& t) {
          longest = submissions = 0;
          t.submission = budget;
          t.submitted = [](double time) {
            longest = std::max(longest, time);
            ++submissions;
          };
        })) {}
};

template <class T>
std::span<T> values_of(Array& array) {
  return {reinterpret_cast<T*>(array.bytes.data()), array.bytes.size() / sizeof(T)};
}

TEST_CASE("pace: parts of a dispatch take no longer than they may") {
  for (const Pace pace : {Pace::software(2), Pace::software(64), Pace::integrated()}) {
    for (const Cost cost : {d3d12::each(20e3), Cost{100, 40 * kMillisecond}, Cost{1e5, 1e5}}) {
      const uint64_t groups = pace.groups_within(100 * kMillisecond, cost);
      CHECK(groups > 1);
      CHECK(pace.estimate(groups, cost) <= 101 * kMillisecond);
      CHECK(pace.estimate(2 * groups, cost) > 100 * kMillisecond);
    }
    CHECK(pace.groups_within(kMillisecond, d3d12::each(1e12)) == 1);
    const uint64_t steps = pace.steps_within(50 * kMillisecond, 300);
    CHECK(pace.estimate(1, Cost{0, static_cast<double>(steps) * 300}) <= 50 * kMillisecond);
  }
}

TEST_CASE("pace: a device that is slower than its kind gets less, until it no longer is") {
  Pace pace = Pace::software(2);
  const Cost cost = d3d12::each(1000);
  const double before = pace.estimate(1000, cost);
  pace.learn(before, before / 100);
  CHECK(pace.estimate(1000, cost) == before);
  pace.learn(before, before * 3);
  CHECK(pace.estimate(1000, cost) == doctest::Approx(before * 3));
  pace.learn(before, before * 100);
  CHECK(pace.estimate(1000, cost) == doctest::Approx(before * 8));
  for (int i = 0; i < 40; ++i) pace.learn(before, before / 100);
  CHECK(pace.estimate(1000, cost) == doctest::Approx(before));
}

TEST_CASE("pace: no submission of any reduction of any type is long, as in one hot row") {
  constexpr double kBudget = 10 * kMillisecond;
  const Watch watch(kBudget);
  struct Type {
    Kind kind;
    int64_t size;
  };
  for (const Type type : {Type{Kind::kBool, 1}, Type{Kind::kInt8, 1}, Type{Kind::kUInt16, 2},
                          Type{Kind::kFloat16, 2}, Type{Kind::kBFloat16, 2}, Type{Kind::kInt32, 4},
                          Type{Kind::kFloat32, 4}, Type{Kind::kInt64, 8}, Type{Kind::kFloat64, 8},
                          Type{Kind::kComplex64, 8}, Type{Kind::kComplex128, 16}}) {
    for (const Reduction reduction :
         {Reduction::kNone, Reduction::kAdd, Reduction::kMul, Reduction::kMax, Reduction::kXor}) {
      const bool is_complex = type.kind == Kind::kComplex64 || type.kind == Kind::kComplex128;
      const bool computes = reduction == Reduction::kAdd || reduction == Reduction::kMul;
      if (type.kind == Kind::kBool && computes) continue;
      if (is_complex && reduction == Reduction::kMax) continue;
      if (!is_index(type.kind) && reduction == Reduction::kXor) continue;
      const bool is_hot = reduction != Reduction::kAdd;
      CHECK(check_scatter({.outer = {is_hot ? 20000 : 6000},
                           .indexed = {is_hot ? 1 : 300},
                           .slice = {is_hot ? 1 : 5},
                           .dtype = {type.kind, type.size},
                           .reduction = reduction,
                           .values = Values::kNear}));
    }
  }
  CHECK(longest > kBudget / 4);
  CHECK(longest <= 250 * kMillisecond);
}

TEST_CASE("pace: long calls are submitted in parts, and none of them is long") {
  const Watch watch(d3d12::tuning().submission);
  for (const Kind kind : {Kind::kFloat32, Kind::kComplex128}) {
    const int64_t size = kind == Kind::kFloat32 ? 4 : 16;
    submissions = 0;
    CHECK(check_scatter({.outer = {150000},
                         .indexed = {2},
                         .dtype = {kind, size},
                         .reduction = Reduction::kMul,
                         .values = Values::kNear}));
    if (kind == Kind::kComplex128) CHECK(submissions > 3);
  }
  CHECK(check_gather({.outer = {100000}, .indexed = {1000}, .slice = {4}, .mode = Mode::kWrap}));
  CHECK(longest <= 250 * kMillisecond);
}

// A part may have more groups than D3D12 dispatches in one dimension.
TEST_CASE("pace: each group of a dispatch runs in one part only") {
  constexpr int64_t kRows = 14'000'000;
  Array table({Kind::kFloat32, 4}, {kRows}), tuples({Kind::kInt32, 4}, {kRows, 1});
  std::iota(values_of<int32_t>(tuples).begin(), values_of<int32_t>(tuples).end(), 0);
  Array ones = table;
  std::ranges::fill(values_of<float>(ones), 1.0f);
  DeviceBackend& device = d3d12_api().backend(0);
  const auto memory = [&](Array& array) { return device.upload(array.tensor()); };
  const auto indices = memory(tuples), updates = memory(ones);
  const Plan plan = make_plan(Operator::kScatter, table.tensor(), tuples.tensor(), ones.tensor(),
                              {.reduction = Reduction::kAdd});
  const auto add = [&] {
    std::ranges::fill(values_of<float>(table), 0.0f);
    const auto sums = device.scatter(plan, memory(table), *indices, *updates, true);
    device.download(*sums, table.tensor(), true);
    return std::ranges::count(values_of<float>(table), 1.0f);
  };
  double whole;
  {
    const Watch watch(1e15);
    CHECK(add() == kRows);
    whole = longest;
  }
  // The first part of the last dispatch has some 46,000 of 54,688 groups.
  const Watch watch(whole / 2);
  CHECK(add() == kRows);
  CHECK(submissions > 1);
}

}  // namespace
}  // namespace gathernd::testing
