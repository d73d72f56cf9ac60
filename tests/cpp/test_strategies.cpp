// Every way of the CPU, forced with the thresholds of users, gives what plain loops give; and which
// way calls of some shapes go.
#include <initializer_list>
#include <map>
#include <string>
#include <utility>

#include "checked_call.hpp"
#include "core/layout.hpp"
#include "cpu/gather/strategy.hpp"
#include "cpu/scatter/strategy.hpp"
#include "elements.hpp"
#include "runtime/trace.hpp"
#include "support.hpp"

namespace gathernd::test {
namespace {

constexpr int kCalls = trials(250);

std::string way_of(const std::string& traced) {
  const auto begin = traced.find(": ") + 2;
  return traced.substr(begin, traced.find(',', begin) - begin);
}

void force(Operator op, const std::string& way) {
  if (op == Operator::kGather) return force_gather(way);
  force_scatter(way);
}

// How many calls went each way, by the way that was asked for and the number of threads.
using Counts = std::map<std::pair<std::string, int>, std::map<std::string, int>>;

// Runs random calls, each forced to go each of the ways on each number of threads; the way "" is
// the one that pays.
Counts run_calls(Operator op, std::initializer_list<std::string> ways,
                 std::initializer_list<int> threads) {
  Random random(91);
  Counts counts;
  for (int trial = 0; trial < kCalls; ++trial) {
    Call call = random_call(random, op);
    const auto form = random.one_of({Way::kFunction, Way::kScratch, Way::kIndexPlan});
    if (form == Way::kScratch) place(random, {&call.output});
    const Answer expected = answer(call);
    const Snapshot before(call);
    for (const std::string& way : ways) {
      for (const int n : threads) {
        INFO("trial ", trial, ", way ", way, ", threads ", n);
        const Configured configured(cpu_target(), n, 0);
        before.restore();
        force(op, way);
        const Trace trace;
        const std::string failure = failure_of(call, expected, form);
        force(op, "");
        REQUIRE(failure == "");
        for (const std::string& traced : trace.calls()) ++counts[{way, n}][way_of(traced)];
      }
    }
  }
  return counts;
}

// Whether calls went each of the ways that they were forced to go.
void check_forced(Operator op, std::initializer_list<std::string> ways) {
  Counts counts = run_calls(op, ways, {1, 2, 3});
  for (const std::string& way : ways) {
    for (const int n : {1, 2, 3}) {
      CAPTURE(way);
      CAPTURE(n);
      CHECK(counts[{way, n}][way] > 3);
    }
  }
}

}  // namespace

TEST_CASE("scatters forced to go each way give the result of plain loops") {
  check_forced(Operator::kScatter, {"private tables", "winners", "columns", "groups", "blocks"});
}

TEST_CASE("gathers forced to go each way give the result of plain loops") {
  check_forced(Operator::kGather, {"blocks", "kept rows", "rows", "columns"});
}

TEST_CASE("few tuples go without a plan, unless a way is forced") {
  for (const auto& [op, way] :
       {std::pair{Operator::kGather, "rows"}, {Operator::kScatter, "blocks"}}) {
    Counts counts = run_calls(op, {"", way}, {2});
    CHECK(counts[{"", 2}]["few tuples"] > kCalls / 25);
    CHECK(counts[{way, 2}]["few tuples"] == 0);
  }
}

TEST_CASE("few tuples of shapes that no array has") {
  const Configured configured(cpu_target(), 1, 0);
  constexpr int64_t kHuge = int64_t{1} << 62, kWraps = int64_t{1} << 33;
  std::byte memory[64] = {};
  struct Case {
    Dims input, indices, rows;
  };
  const auto dims = [](std::vector<int64_t> sizes) { return Dims(sizes); };
  for (const Case& c :
       {Case{dims({-5}), dims({1, 1}), dims({1})}, Case{dims({5}), dims({-2, 1}), dims({-2})},
        Case{dims({5}), dims({-2, -3, 1}), dims({-2, -3})},
        Case{dims({5, -5}), dims({1, 1}), dims({1, -5})},
        Case{dims({5, -2, -3}), dims({1, 1}), dims({1, -2, -3})},
        Case{dims({5}), dims({1, -1}), dims({1, 5})},
        Case{dims({kHuge, kHuge}), dims({1, 2}), dims({1})},
        Case{dims({kWraps, kWraps, 1}), dims({1, 3}), dims({1})},
        Case{dims({2, kHuge}), dims({1, 1}), dims({1, kHuge})},
        Case{dims({2}), dims({kHuge, kHuge, 1}), dims({kHuge, kHuge})}}) {
    const auto strides_of = [](const Dims& shape, int64_t size) {
      return c_strides({shape.begin(), shape.end()}, size);
    };
    const Dims a = strides_of(c.input, 4), b = strides_of(c.indices, 8), r = strides_of(c.rows, 4);
    const Tensor input{memory, {Kind::kFloat32, 4}, c.input, a};
    const Tensor indices{memory, {Kind::kInt64, 8}, c.indices, b};
    const Tensor rows{memory + 32, {Kind::kFloat32, 4}, c.rows, r};
    CHECK_THROWS_AS(gather_nd(input, indices, rows, {.fresh_output = true}), Error);
    CHECK_THROWS_AS(scatter_nd(input, indices, rows, input, {}), Error);
  }
}

TEST_CASE("tensors of more dimensions than there may be") {
  const Configured configured(cpu_target(), 1, 0);
  std::byte memory[8 * 300] = {};
  for (const size_t rank : {size_t{65}, size_t{70}, size_t{300}}) {
    for (const size_t depth : {size_t{1}, rank}) {
      const std::vector<int64_t> ones(rank, 1), strides(rank, 4);
      const std::vector<int64_t> shape{static_cast<int64_t>(depth)}, index_strides{8};
      const std::vector<int64_t> rows_shape(rank - depth, 1), rows_strides(rank - depth, 4);
      const Tensor input{memory, {Kind::kFloat32, 4}, ones, strides};
      const Tensor indices{memory, {Kind::kInt64, 8}, shape, index_strides};
      const Tensor rows{memory, {Kind::kFloat32, 4}, rows_shape, rows_strides};
      CHECK_THROWS_AS(gather_nd(input, indices, rows, {.fresh_output = true}), Error);
      CHECK_THROWS_AS(scatter_nd(input, indices, rows, input, {}), Error);
      CHECK_THROWS_AS(result_strides(input, 1, rows), Error);
    }
  }
}

TEST_CASE("only ways that calls can be forced to go are taken") {
  CHECK_THROWS_AS(force_scatter("check"), Error);
  CHECK_THROWS_AS(force_scatter("fast"), Error);
  CHECK_THROWS_AS(force_gather("check"), Error);
}

TEST_CASE("gathers go the way that pays") {
  const Configured configured(cpu_target(), 2, 0);
  // Gathers rows of `bytes` by `tuples` of `depth` components, in each of four batches if there are
  // batches.
  const auto way_for = [](int64_t slices, int depth, int64_t tuples, int64_t bytes,
                          const GatherFacts& facts, const PlanOptions& options = {}) {
    struct Shaped {
      DType dtype;
      std::vector<int64_t> shape;
      Dims strides = c_strides(shape, dtype.size);
      Tensor tensor() const { return {nullptr, dtype, shape, strides}; }
    };
    const auto array = [&](Kind kind, std::vector<int64_t> shape) {
      shape.insert(shape.begin(), static_cast<size_t>(options.batch_dims), 4);
      return Shaped{{kind, size_of(kind)}, shape};
    };
    std::vector<int64_t> table_shape(static_cast<size_t>(depth) + 1, 1);
    table_shape.front() = slices;
    table_shape.back() = bytes;
    const Shaped table = array(Kind::kUInt8, table_shape);
    const Shaped indices = array(Kind::kInt64, {tuples, depth});
    const Shaped rows = array(Kind::kUInt8, {tuples, bytes});
    const Plan plan =
        make_plan(Operator::kGather, table.tensor(), indices.tensor(), rows.tensor(), options);
    return text(choose_gather(plan, facts));
  };
  constexpr int64_t kMany = 1 << 20;
  const GatherFacts fresh{.may_write_unchecked = true}, in_out{}, plan{.is_resolved = true};
  CHECK(way_for(100, 1, 0, 4, fresh) == "check");
  CHECK(way_for(kMany, 1, kMany, 4, fresh) == "blocks, fused");
  CHECK(way_for(kMany, 4, kMany, 4, fresh) == "blocks, fused");
  CHECK(way_for(kMany, 5, kMany, 4, fresh) == "blocks");
  CHECK(way_for(kMany, 1, kMany, 64, fresh) == "blocks");
  CHECK(way_for(kMany, 1, kMany, 4, fresh, {.batch_dims = 1}) == "blocks");
  CHECK(way_for(kMany, 1, kMany, 4, fresh, {.mode = Mode::kFill}) == "blocks");
  CHECK(way_for(int64_t{1} << 33, 1, kMany, 4, fresh) == "blocks");
  CHECK(way_for(int64_t{1} << 20, 1, kMany, 3, fresh) == "blocks, fused");
  CHECK(way_for(int64_t{1} << 26, 1, kMany, 3, fresh) == "blocks");
  CHECK(way_for(kMany, 1, kMany, 4, in_out) == "rows");
  CHECK(way_for(kMany, 1, kMany, 2, in_out) == "kept rows, fused");
  CHECK(way_for(kMany, 5, kMany, 2, in_out) == "kept rows");
  CHECK(way_for(kMany, 1, 2048, 2, in_out) == "rows");
  CHECK(way_for(kMany, 1, kMany, 4, plan) == "rows");
  CHECK(way_for(100, 1, 3, 1 << 20, fresh) == "columns, parts: 2");
  CHECK(way_for(100, 1, 300, 1 << 20, fresh) == "blocks");
}

TEST_CASE("scatters go the way that pays") {
  const Configured configured(cpu_target(), 2, 0);
  const auto way_for = [](int64_t slices, int64_t tuples, int64_t bytes, Reduction reduction,
                          Kind kind, const ScatterFacts& facts) {
    const DType dtype{kind, size_of(kind)};
    const int64_t length = bytes / dtype.size;
    const int64_t shape[] = {slices, length}, indices_shape[] = {tuples, 1};
    const int64_t rows_shape[] = {tuples, length}, strides[] = {bytes, dtype.size};
    const int64_t index_strides[] = {8, 8};
    const Tensor table{nullptr, dtype, shape, strides}, rows{nullptr, dtype, rows_shape, strides};
    const Tensor indices{nullptr, {Kind::kInt64, 8}, indices_shape, index_strides};
    const Plan plan = make_plan(Operator::kScatter, table, indices, rows, {.reduction = reduction});
    return text(choose_scatter(plan, facts));
  };
  constexpr auto kSet = Reduction::kNone, kAdd = Reduction::kAdd, kMax = Reduction::kMax;
  constexpr int64_t kMany = 1 << 20;
  const ScatterFacts in_place{}, fresh{.may_write_unchecked = true};
  const ScatterFacts plan{.is_resolved = true, .can_keep = true};
  CHECK(way_for(100, 0, 4, kSet, Kind::kInt32, in_place) ==
        "check, parts: 1, resolves as it writes");
  CHECK(way_for(900, kMany, 4, kAdd, Kind::kInt32, in_place) ==
        "private tables, parts: 2, resolves as it writes");
  CHECK(way_for(900, kMany, 4, kSet, Kind::kFloat32, in_place) ==
        "winners, parts: 2, resolves as it writes");
  CHECK(way_for(kMany, kMany, 4, kAdd, Kind::kFloat32, in_place) == "blocks, parts: 2");
  CHECK(way_for(900, kMany, 4, kAdd, Kind::kFloat32, in_place) == "blocks, parts: 1");
  CHECK(way_for(900, kMany, 4, kAdd, Kind::kFloat32, fresh) == "blocks, parts: 1, resolves ahead");
  CHECK(way_for(kMany, kMany, 4, kAdd, Kind::kFloat32, fresh) ==
        "blocks, parts: 2, resolves as it writes");
  CHECK(way_for(900, kMany, 4, kMax, Kind::kFloat32, in_place) ==
        "private tables, parts: 2, resolves as it writes");
  CHECK(way_for(900, kMany, 2, kAdd, Kind::kFloat16, in_place) ==
        "blocks, parts: 1, in float32, resolves ahead");
  CHECK(way_for(8 * kMany, kMany, 2, kAdd, Kind::kFloat16, in_place) == "runs, parts: 16");
  CHECK(way_for(100, 30, 1 << 12, kAdd, Kind::kFloat32, fresh) == "columns, parts: 2");
  CHECK(way_for(100, 3000, 1 << 12, kAdd, Kind::kFloat32, fresh) == "blocks, parts: 2");
  CHECK(way_for(100, 3000, 1 << 20, kAdd, Kind::kFloat32, fresh) == "columns, parts: 2");
  CHECK(way_for(kMany / 4, kMany, 4, kSet, Kind::kFloat32, plan) == "winners, parts: 1, kept");
  CHECK(way_for(kMany / 4, kMany, 4, kAdd, Kind::kFloat32, plan) ==
        "groups, parts: 16, kept order");
  for (const auto& [kind, reduction] : {std::pair{Kind::kInt32, kAdd}, {Kind::kFloat32, kMax}}) {
    CHECK(way_for(900, kMany, 4, reduction, kind, plan) == "private tables, parts: 2");
  }
  CHECK(way_for(512, kMany, 4, kAdd, Kind::kFloat32, plan) == "groups, parts: 16, kept order");
  CHECK(way_for(511, kMany, 4, kAdd, Kind::kFloat32, plan) == "blocks, parts: 1");
  // Some ten thousand tuples: tables of each thread, and parts of small tables, would take longer.
  CHECK(way_for(16'000, 32'000, 4, kAdd, Kind::kInt32, in_place) == "blocks, parts: 1");
  CHECK(way_for(16'000, 32'000, 4, kMax, Kind::kFloat32, in_place) == "blocks, parts: 1");
  CHECK(way_for(16'000, 32'000, 4, kAdd, Kind::kFloat32, fresh) ==
        "blocks, parts: 1, resolves as it writes");
  CHECK(way_for(4000, 24'000, 4, kSet, Kind::kFloat32, in_place) == "blocks, parts: 1");
  CHECK(way_for(70'000, 140'000, 4, kSet, Kind::kFloat32, in_place) == "blocks, parts: 2");
  CHECK(way_for(16'000, 100'000, 4, kAdd, Kind::kInt32, in_place) ==
        "private tables, parts: 2, resolves as it writes");
  CHECK(way_for(70'000, kMany, 8, kAdd, Kind::kInt64, in_place) ==
        "private tables, parts: 2, resolves as it writes");
  set_num_threads(16);
  CHECK(way_for(16'000, 160'000, 4, kMax, Kind::kFloat32, in_place) ==
        "groups, parts: 16, resolves as it writes");
  CHECK(way_for(kMany, kMany, 4, kAdd, Kind::kFloat32, fresh) ==
        "groups, parts: 16, resolves as it writes");
}

}  // namespace gathernd::test
