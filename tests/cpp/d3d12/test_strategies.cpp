// Every way of a D3D12 device, forced with the thresholds of users, gives what plain loops give;
// and which way calls of some shapes go.
#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>

#include "answers.hpp"
#include "d3d12/operators/strategy.hpp"
#include "gathernd/device.hpp"
#include "gathernd/error.hpp"
#include "gathernd/index_plan.hpp"
#include "runtime/trace.hpp"
#include "tuning.hpp"

namespace gathernd::testing {
namespace {

constexpr int kCalls = 16;

class Forced {
 public:
  explicit Forced(const char* way) {
    force_device_gather("");
    force_device_scatter(way);
  }
  ~Forced() {
    force_device_gather("");
    force_device_scatter("");
  }
  Forced(const Forced&) = delete;
  Forced& operator=(const Forced&) = delete;
};

std::string way_of(const std::string& traced) {
  const auto begin = traced.find(": ") + 2;
  return traced.substr(begin, traced.find(',', begin) - begin);
}

class RandomCases {
 public:
  Case gather() {
    Case c = any();
    c.mode = one_of({Mode::kRaise, Mode::kClip, Mode::kWrap, Mode::kFill});
    c.dtype = {Kind::kOther, one_of<int64_t>({1, 2, 3, 4, 4, 12, 16})};
    c.slice = {one_of<int64_t>({1, 1, 1, 3, 4})};
    return c;
  }

  Case scatter(bool sets) {
    Case c = any();
    c.mode = one_of({Mode::kRaise, Mode::kClip, Mode::kWrap, Mode::kDrop});
    c.slice = {one_of<int64_t>({1, 2, 3, 4, 8})};
    c.dtype = one_of<DType>({{Kind::kInt8, 1},
                             {Kind::kFloat16, 2},
                             {Kind::kInt32, 4},
                             {Kind::kFloat32, 4},
                             {Kind::kInt64, 8},
                             {Kind::kFloat64, 8}});
    c.values = Values::kNear;
    if (sets) {
      c.duplicates = one_of({Duplicates::kLast, Duplicates::kFirst, Duplicates::kError});
    } else {
      do {
        c.reduction = one_of({Reduction::kAdd, Reduction::kSub, Reduction::kMul, Reduction::kMin,
                              Reduction::kMax, Reduction::kXor});
      } while (!is_reducible(c.dtype.kind, c.reduction));
    }
    return c;
  }

  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[random_() % values.size()];
  }

 private:
  Case any() {
    Case c{.outer = {one_of<int64_t>({1, 30, 300, 1500})}};
    c.indexed = one_of<Shape>({{2}, {90}, {3000}, {7, 5}, {2, 3, 40}});
    if (one_of({0, 0, 1}) == 1) c.batch = {2};
    c.index_type = one_of<DType>({{Kind::kInt32, 4}, {Kind::kInt64, 8}, {Kind::kInt16, 2}});
    c.bad = one_of({0.0, 0.0, 0.2});
    c.seed = random_();
    return c;
  }

  std::mt19937_64 random_{7};
};

std::map<std::string, int> counts_of(const Trace& trace) {
  std::map<std::string, int> counts;
  for (const std::string& traced : trace.calls()) ++counts[way_of(traced)];
  return counts;
}

}  // namespace

TEST_CASE("strategies: gathers forced to go each way give the result of plain loops") {
  for (const char* way : {"short rows", "direct", "slots"}) {
    const std::string name = way;
    CAPTURE(name);
    const Forced restored("");
    force_device_gather(way);
    RandomCases cases;
    const Trace trace;
    for (int i = 0; i < 3 * kCalls; ++i) CHECK(check_gather(cases.gather()));
    CHECK(counts_of(trace)[way] > 3);
  }
}

TEST_CASE("strategies: scatters forced to go each way give the result of plain loops") {
  for (const char* way : {"few", "atomics", "winners", "winners by tuple", "lists", "sorted"}) {
    const std::string name = way;
    CAPTURE(name);
    const Forced forced(way);
    const bool sets = name.starts_with("winners");
    RandomCases cases;
    const Trace trace;
    for (int i = 0; i < kCalls; ++i) {
      CHECK(check_scatter(cases.scatter(sets || (name == "few" && i % 2 == 0))));
    }
    CHECK(counts_of(trace)[way] > 3);
  }
}

TEST_CASE("strategies: few tuples, of every number and type, that repeat often or never") {
  const Forced forced("few");
  const struct {
    DType dtype;
    Reduction reduction;
  } kinds[] = {
      {{Kind::kInt8, 1}, Reduction::kNone},     {{Kind::kFloat32, 4}, Reduction::kNone},
      {{Kind::kFloat32, 4}, Reduction::kAdd},   {{Kind::kFloat32, 4}, Reduction::kSub},
      {{Kind::kFloat16, 2}, Reduction::kAdd},   {{Kind::kBFloat16, 2}, Reduction::kSub},
      {{Kind::kComplex64, 8}, Reduction::kAdd}, {{Kind::kFloat64, 8}, Reduction::kNone},
  };
  const Trace trace;
  int calls = 0;
  for (const auto& [dtype, reduction] : kinds) {
    for (const int64_t tuples : {1, 31, 32, 33, 257, 1000, 1024}) {
      const std::pair<int64_t, int64_t> shapes[] = {{1, 4}, {3, 12}, {400, 4}, {5, 64}, {90, 8}};
      const auto [rows, width] = shapes[calls % 5];
      const bool sets = reduction == Reduction::kNone;
      CHECK(check_scatter(
          {.outer = {tuples},
           .indexed = {rows},
           .slice = {width},
           .dtype = dtype,
           .mode = calls % 3 == 0 ? Mode::kDrop : Mode::kRaise,
           .reduction = reduction,
           .duplicates = sets && calls % 2 == 0 ? Duplicates::kFirst : Duplicates::kLast,
           .bad = calls % 3 == 2 ? 0 : 2.0 / static_cast<double>(tuples),
           .seed = static_cast<uint64_t>(calls),
           .values = calls % 2 == 0 ? Values::kTiny : Values::kAny}));
      ++calls;
    }
  }
  CHECK(counts_of(trace)["few"] >= calls);
}

TEST_CASE("strategies: an index plan's scatters forced to go each way") {
  for (const char* way : {"few", "atomics", "lists", "sorted", "kept order"}) {
    const std::string name = way;
    CAPTURE(name);
    const Forced forced(way);
    RandomCases cases;
    const Trace trace;
    for (int i = 0; i < kCalls; ++i) {
      Case c = cases.scatter(name == "few" && i % 2 == 0);
      if (c.duplicates == Duplicates::kError) c.duplicates = Duplicates::kLast;
      c.bad = 0;
      Arrays arrays(c);
      const IndexPlan plan(arrays.input.shape, arrays.indices.tensor(),
                           static_cast<int64_t>(c.batch.size()), c.mode, &d3d12_api().backend(0));
      Answer expected = expected_scatter(c, arrays);
      Array output(c.dtype, arrays.input.shape);
      plan.scatter(arrays.input.tensor(), arrays.rows.tensor(), output.tensor(), c.reduction,
                   c.duplicates);
      CHECK_MESSAGE(output.bytes == expected.bytes, describe(c));
    }
    CHECK(counts_of(trace)[way] > 3);
  }
}

TEST_CASE("strategies: windows and chunks of every way") {
  const SmallPieces small(64, 50);
  for (const char* way : {"atomics", "winners", "lists", "sorted"}) {
    const std::string name = way;
    CAPTURE(name);
    const Forced forced(way);
    for (const int64_t rows : {3, 200}) {
      CHECK(check_scatter({.outer = {130},
                           .indexed = {rows},
                           .slice = {2},
                           .dtype = {Kind::kInt32, 4},
                           .mode = Mode::kDrop,
                           .reduction = name == "winners" ? Reduction::kNone : Reduction::kAdd,
                           .bad = 0.1}));
    }
  }
}

TEST_CASE("strategies: only ways that calls can be forced to go are taken") {
  CHECK_THROWS_AS(force_device_gather("check"), Error);
  CHECK_THROWS_AS(force_device_gather("fast"), Error);
  CHECK_THROWS_AS(force_device_scatter("check"), Error);
  CHECK_THROWS_AS(force_device_scatter("groups"), Error);
}

TEST_CASE("strategies: calls go the way that pays") {
  const auto plan_of = [](Operator op, const Case& c, Arrays& arrays) {
    const Tensor table = arrays.input.tensor(), rows = arrays.rows.tensor();
    return make_plan(op, table, arrays.indices.tensor(), rows,
                     {static_cast<int64_t>(c.batch.size()), c.mode, c.reduction, c.duplicates});
  };
  const auto gather_goes = [&](const Case& c) {
    Arrays arrays(c);
    return text(d3d12::choose_gather(plan_of(Operator::kGather, c, arrays)));
  };
  const auto scatter_goes = [&](const Case& c, d3d12::ScatterFacts facts) {
    facts.most_sums = 1 << 20;
    Arrays arrays(c);
    return text(d3d12::choose_scatter(plan_of(Operator::kScatter, c, arrays), facts));
  };
  const Case floats{.outer = {100}, .indexed = {50}, .slice = {1}};
  Case c = floats;
  CHECK(gather_goes(c) == "short rows");
  c.mode = Mode::kFill;
  CHECK(gather_goes(c) == "direct");
  c.mode = Mode::kWrap;
  CHECK(gather_goes(c) == "slots");
  c.slice = {0};
  CHECK(gather_goes(c) == "check");

  const d3d12::ScatterFacts software{.is_software = true};
  c = floats;
  CHECK(scatter_goes(c, {}) == "few");
  CHECK(scatter_goes(c, {.has_source = true, .is_kept = true}) == "few");
  CHECK(scatter_goes(c, software) == "winners");
  c.reduction = Reduction::kAdd;
  CHECK(scatter_goes(c, {}) == "few");
  CHECK(scatter_goes(c, {.is_kept = true}) == "kept order");
  c.mode = Mode::kWrap;
  CHECK(scatter_goes(c, {}) == "lists");
  c = floats;
  c.reduction = Reduction::kMul;
  CHECK(scatter_goes(c, {}) == "lists");
  c = floats;
  c.duplicates = Duplicates::kError;
  CHECK(scatter_goes(c, {}) == "winners");
  c = floats;
  c.outer = {1025};
  CHECK(scatter_goes(c, {}) == "winners");
  c = floats;
  c.slice = {65};
  CHECK(scatter_goes(c, {}) == "winners");
  c = floats;
  c.dtype = {Kind::kInt16, 2};
  CHECK(scatter_goes(c, {}) == "winners");

  const ScopedTuning many(changed([](d3d12::Tuning& t) { t.few_tuples = 0; }));
  const d3d12::ScatterFacts in_place{}, fresh{.has_source = true}, kept{.is_kept = true};
  c = floats;
  CHECK(scatter_goes(c, fresh) == "winners");
  c.indexed = {10000};
  CHECK(scatter_goes(c, fresh) == "winners");
  CHECK(scatter_goes(c, in_place) == "winners by tuple");
  c.duplicates = Duplicates::kAny;
  CHECK(scatter_goes(c, fresh) == "atomics, pre-aggregated");
  c.slice = {0};
  CHECK(scatter_goes(c, fresh) == "check");

  c = floats;
  c.reduction = Reduction::kAdd;
  CHECK(scatter_goes(c, fresh) == "lists");
  CHECK(scatter_goes(c, kept) == "kept order");
  c.indexed = {10};
  CHECK(scatter_goes(c, fresh) == "sorted");
  c.indexed = {10000};
  CHECK(scatter_goes(c, in_place) == "lists, by tuple");
  c.dtype = {Kind::kFloat16, 2};
  CHECK(scatter_goes(c, fresh) == "lists, in float32");
  c.dtype = {Kind::kInt32, 4};
  CHECK(scatter_goes(c, {.has_source = true, .is_software = true}) == "atomics");
  CHECK(scatter_goes(c, {.has_source = true, .is_kept = true}) == "kept order");
  CHECK(scatter_goes(c, kept) == "atomics, pre-aggregated");

  c = floats;
  c.reduction = Reduction::kMax;
  c.slice = {16};
  CHECK(scatter_goes(c, in_place) == "lists");
  const ScopedTuning few_bytes(changed([](d3d12::Tuning& t) { t.looked_bytes = 100 * 64; }));
  CHECK(scatter_goes(c, in_place) == "lists, or atomics");
  CHECK(scatter_goes(c, fresh) == "lists");
  CHECK(scatter_goes(c, kept) == "kept order");
  CHECK(scatter_goes(c, software) == "lists");
  c.indexed = {10};
  CHECK(scatter_goes(c, in_place) == "sorted, or atomics");
  c.mode = Mode::kWrap;
  CHECK(scatter_goes(c, in_place) == "sorted");
  c.mode = Mode::kRaise;
  c.slice = {17};
  CHECK(scatter_goes(c, in_place) == "sorted");
  c.slice = {260};
  CHECK(scatter_goes(c, in_place) == "sorted");
}

}  // namespace gathernd::testing
