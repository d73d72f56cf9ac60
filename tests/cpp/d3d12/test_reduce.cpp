#include <doctest/doctest.h>

#include <algorithm>

#include "answers.hpp"
#include "gathernd/gathernd.hpp"
#include "tuning.hpp"

namespace gathernd::testing {
namespace {

struct Type {
  Kind kind;
  int64_t size;
};

constexpr Type kTypes[] = {{Kind::kBool, 1},    {Kind::kInt8, 1},      {Kind::kInt16, 2},
                           {Kind::kInt32, 4},   {Kind::kInt64, 8},     {Kind::kUInt8, 1},
                           {Kind::kUInt16, 2},  {Kind::kUInt32, 4},    {Kind::kUInt64, 8},
                           {Kind::kFloat16, 2}, {Kind::kBFloat16, 2},  {Kind::kFloat32, 4},
                           {Kind::kFloat64, 8}, {Kind::kComplex64, 8}, {Kind::kComplex128, 16}};
constexpr Reduction kReductions[] = {Reduction::kAdd, Reduction::kSub, Reduction::kMul,
                                     Reduction::kMin, Reduction::kMax, Reduction::kAnd,
                                     Reduction::kOr,  Reduction::kXor};

template <class F>
void for_each_reduction(F f) {
  for (const Type type : kTypes) {
    for (const Reduction reduction : kReductions) {
      if (is_reducible(type.kind, reduction)) f(DType{type.kind, type.size}, reduction);
    }
  }
}

// One of each shader.
template <class F>
void for_some_reductions(F f) {
  for_each_reduction([&](DType dtype, Reduction reduction) {
    const bool some = reduction == Reduction::kAdd || reduction == Reduction::kMul ||
                      reduction == Reduction::kMax || reduction == Reduction::kXor;
    if (some) f(dtype, reduction);
  });
}

TEST_CASE("scatter: every reduction of every type, few and many tuples a row") {
  for_each_reduction([](DType dtype, Reduction reduction) {
    for (const Values values : {Values::kAny, Values::kNear, Values::kTiny}) {
      for (const int64_t rows : {2, 300}) {
        // Units of 16 bytes, of 4 and less.
        CHECK(check_scatter({.outer = {400},
                             .indexed = {rows},
                             .slice = {rows == 2 ? 16 : 5},
                             .dtype = dtype,
                             .reduction = reduction,
                             .values = values}));
        CHECK(check_scatter({.outer = {400},
                             .indexed = {rows},
                             .slice = {rows == 2 ? 5 : 16},
                             .dtype = dtype,
                             .reduction = reduction,
                             .values = values}));
      }
    }
  });
}

TEST_CASE("scatter: reductions with batches, dropped tuples, bad tuples, long tuples") {
  for_each_reduction([](DType dtype, Reduction reduction) {
    for (const Mode mode : {Mode::kDrop, Mode::kWrap, Mode::kRaise}) {
      CHECK(check_scatter({.batch = {3},
                           .outer = {40},
                           .indexed = {3, 2},
                           .slice = {3},
                           .dtype = dtype,
                           .mode = mode,
                           .reduction = reduction,
                           .bad = 0.1}));
    }
  });
}

TEST_CASE("scatter: rows of very many tuples among rows of few") {
  for_some_reductions([](DType dtype, Reduction reduction) {
    // Indices out of range are clipped: the first and the last row get 150 tuples each.
    const bool by_quads = reduction != Reduction::kMul;
    CHECK(check_scatter({.outer = {600},
                         .indexed = {200},
                         .slice = {by_quads ? 16 : 1},
                         .dtype = dtype,
                         .mode = Mode::kClip,
                         .reduction = reduction,
                         .bad = 0.5,
                         .values = Values::kNear}));
  });
}

TEST_CASE("scatter: more rows of very many tuples than a digit of the sort tells apart") {
  // Of each batch's rows the first and the last get 45 tuples.
  CHECK(check_scatter({.batch = {200},
                       .outer = {100},
                       .indexed = {26},
                       .slice = {8},
                       .mode = Mode::kClip,
                       .reduction = Reduction::kAdd,
                       .bad = 0.9,
                       .values = Values::kNear}));
}

TEST_CASE("scatter: dropped tuples of tables around the digits of the sort") {
  for (const int64_t rows : {1, 15, 16, 17, 255, 256, 257}) {
    CHECK(check_scatter({.outer = {6 * rows},
                         .indexed = {rows},
                         .slice = {1},
                         .mode = Mode::kDrop,
                         .reduction = Reduction::kAdd,
                         .bad = 0.3,
                         .values = Values::kNear}));
  }
}

TEST_CASE("scatter: rows of 0 to 39 tuples: one thread reduces up to 32") {
  constexpr int64_t kMost = 39;
  for (const int64_t rows : {kMost + 1, int64_t{1000}}) {  // sorted, and in lists
    const Case c{.outer = {kMost * (kMost + 1) / 2},
                 .indexed = {rows},
                 .slice = {4},
                 .reduction = Reduction::kAdd,
                 .values = Values::kNear};
    Arrays arrays(c);
    auto* index = reinterpret_cast<int32_t*>(arrays.indices.bytes.data());
    for (int32_t row = 0; row <= kMost; ++row) index = std::fill_n(index, row, row);
    CHECK(device_scatter(c, arrays) == expected_scatter(c, arrays));
  }
}

// Tiny sums are computed twice: the second time step by step, as IEEE 754 has it.
TEST_CASE("scatter: groups of a thousand rows of very many tuples") {
  const ScopedTuning few_groups(changed([](d3d12::Tuning& t) { t.long_groups = 2; }));
  for (const Reduction reduction : {Reduction::kAdd, Reduction::kMul}) {
    constexpr int64_t kRows = 2048, kTuples = 50;
    const Case c{.outer = {kRows * kTuples},
                 .indexed = {kRows},
                 .reduction = reduction,
                 .values = Values::kTiny};
    Arrays arrays(c);
    auto* index = reinterpret_cast<int32_t*>(arrays.indices.bytes.data());
    for (int32_t t = 0; t < kRows * kTuples; ++t) index[t] = t % kRows;
    CHECK(check_scatter(c, arrays));
  }
}

TEST_CASE("scatter: sums that are rounded once, of rows of more blocks than there are groups") {
  const ScopedTuning few_groups(changed([](d3d12::Tuning& t) {
    t.long_groups = 2;
    t.sums_at_once = 300;
  }));
  for (const Kind kind : {Kind::kFloat16, Kind::kBFloat16}) {
    for (const int64_t length : {3, 64, 301}) {
      CHECK(check_scatter({.outer = {200},
                           .indexed = {1},
                           .slice = {length},
                           .dtype = {kind, 2},
                           .reduction = Reduction::kAdd,
                           .values = Values::kNear}));
    }
  }
}

TEST_CASE("scatter: reductions in windows, chunks and several dispatches a row") {
  for_some_reductions([](DType dtype, Reduction reduction) {
    const SmallPieces small(64);
    for (const int64_t length : {4, 30}) {
      CHECK(check_scatter({.outer = {25},
                           .indexed = {length == 4 ? 1 : 3},
                           .slice = {length},
                           .dtype = dtype,
                           .reduction = reduction,
                           .values = Values::kNear}));
    }
  });
}

// 64 rows of 40 tuples, more than there are groups, of which four have many more.
void check_long_rows(DType dtype, Reduction reduction, int64_t many) {
  constexpr int64_t kRows = 64, kHeavy = 4;
  const Case c{.outer = {40 * kRows + many * kHeavy},
               .indexed = {kRows},
               .slice = {1},
               .dtype = dtype,
               .reduction = reduction,
               .values = Values::kNear};
  Arrays arrays(c);
  auto* index = reinterpret_cast<int32_t*>(arrays.indices.bytes.data());
  for (int64_t t = 0; t < c.outer[0]; ++t) {
    const int64_t step = t < many * kHeavy ? kRows / kHeavy : 1;
    index[t] = static_cast<int32_t>(t * step % kRows);
  }
  INFO(describe(c));
  CHECK(device_scatter(c, arrays) == expected_scatter(c, arrays));
}

TEST_CASE("scatter: several rows of very many tuples a group") {
  const ScopedTuning two_groups(changed([](d3d12::Tuning& t) {
    t.long_groups = 2;
    t.long_rows_per_group = 1000;
    t.submission = 1e12;  // divides nothing: only lavapipe's loops do
  }));
  check_long_rows({Kind::kFloat64, 8}, Reduction::kMul,
                  40000);  // two turn lavapipe's loops too often
  const Iterations iterations(16);
  check_long_rows({Kind::kFloat32, 4}, Reduction::kAdd, 50);
  check_long_rows({Kind::kInt32, 4}, Reduction::kMax, 50);
  check_long_rows({Kind::kComplex64, 8}, Reduction::kMul, 50);
}

TEST_CASE("scatter: several blocks of one row of many tuples a group") {
  const ScopedTuning few_groups(changed([](d3d12::Tuning& t) {
    t.long_groups = 4;
    t.busy_groups = 1;
    t.iterations = 320;
  }));
  for (const auto& [dtype, length] : {std::pair{DType{Kind::kUInt8, 1}, 1033},
                                      {DType{Kind::kInt16, 2}, 517},
                                      {DType{Kind::kFloat32, 4}, 1033},
                                      {DType{Kind::kFloat64, 8}, 517}}) {
    CHECK(check_scatter({.outer = {90},
                         .indexed = {1},
                         .slice = {length},
                         .dtype = dtype,
                         .reduction = Reduction::kAdd,
                         .values = Values::kNear}));
  }
}

TEST_CASE("scatter: a sum of halves of more tuples than lavapipe's loops turn") {
  const Case c{.outer = {200000},
               .indexed = {1},
               .slice = {2},
               .dtype = {Kind::kBFloat16, 2},
               .reduction = Reduction::kAdd};
  Arrays arrays(c);
  std::ranges::fill(arrays.input.bytes, std::byte{});
  auto* rows = reinterpret_cast<uint16_t*>(arrays.rows.bytes.data());
  for (int64_t t = 0; t < 2 * c.outer[0]; ++t) rows[t] = t % 2 == 0 ? 0 : 0x3f80;  // 0, 1
  CHECK(device_scatter(c, arrays) == expected_scatter(c, arrays));
}

TEST_CASE("scatter: the sort over more than a block, and over several digits") {
  for (const int64_t rows : {1, 100, 20000, 1000000}) {
    CHECK(check_scatter({.outer = {30000},
                         .indexed = {rows},
                         .slice = {1},
                         .reduction = Reduction::kAdd,
                         .values = Values::kNear}));
  }
}

}  // namespace
}  // namespace gathernd::testing
