#include <doctest/doctest.h>

#include "answers.hpp"
#include "tuning.hpp"

namespace gathernd::testing {
namespace {

TEST_CASE("windows of the table, chunks of the tuples, pieces of the staging") {
  for (const uint64_t view : {64u, 400u}) {
    const SmallPieces small(view);
    for (const int64_t size : {1, 3, 4, 16}) {
      for (const int64_t length : {1, 5, 17}) {
        for (const Mode mode : {Mode::kRaise, Mode::kFill, Mode::kWrap}) {
          Case c{.batch = {2},
                 .outer = {23},
                 .indexed = {2, 5},
                 .slice = {length},
                 .dtype = {Kind::kOther, size},
                 .mode = mode,
                 .bad = mode == Mode::kFill ? 0.2 : 0.0};
          CHECK(check_gather(c));
          if (mode == Mode::kFill) c.mode = Mode::kDrop;
          CHECK(check_scatter(c));
          c.duplicates = Duplicates::kFirst;
          CHECK(check_scatter(c));
        }
      }
    }
  }
}

TEST_CASE("windows of a part of a row, within an element") {
  const SmallPieces small(64);
  for (const int64_t size : {12, 24, 100}) {
    CHECK(check_gather({.outer = {9},
                        .indexed = {7},
                        .slice = {40},
                        .dtype = {Kind::kOther, size},
                        .mode = Mode::kFill,
                        .bad = 0.4}));
  }
}

TEST_CASE("windows, and chunks of several batches") {
  const SmallPieces small(64);
  for (const Mode mode : {Mode::kRaise, Mode::kClip, Mode::kWrap}) {
    for (const int64_t length : {1, 4, 12}) {
      Case c{.batch = {3, 4}, .outer = {3}, .indexed = {9}, .slice = {length}, .mode = mode};
      c.bad = mode == Mode::kRaise ? 0 : 0.2;
      CHECK(check_gather(c));
      for (const Duplicates duplicates : {Duplicates::kLast, Duplicates::kFirst}) {
        c.duplicates = duplicates;
        CHECK(check_scatter(c));
      }
      c.duplicates = Duplicates::kLast;
      c.reduction = Reduction::kAdd;
      c.values = Values::kNear;
      CHECK(check_scatter(c));
    }
  }
}

TEST_CASE("gather: chunks of rows of few bytes, by indices of any type") {
  const SmallPieces small(64);
  for (const Kind kind : {Kind::kInt16, Kind::kInt32, Kind::kUInt32, Kind::kInt64, Kind::kUInt64}) {
    for (const int64_t size : {1, 2, 3, 4}) {
      for (const Shape& indexed : {Shape{30}, Shape{5, 6}, Shape{3, 2, 5}}) {
        CHECK(check_gather({.outer = {37},
                            .indexed = indexed,
                            .dtype = {Kind::kOther, size},
                            .index_type = index_dtype(kind)}));
      }
    }
  }
}

TEST_CASE("epochs: call after call, from where they run out now and then") {
  CHECK(check_gather({.outer = {9}, .indexed = {5}, .bad = 1}));  // whose error forgets the epochs
  const LateEpochs epochs(2000);
  const auto check_calls = [](int64_t tuples, int64_t rows, uint64_t seed) {
    for (const Duplicates duplicates :
         {Duplicates::kLast, Duplicates::kFirst, Duplicates::kError}) {
      for (const int64_t size : {1, 4, 16}) {
        CHECK(check_scatter({.outer = {tuples},
                             .indexed = {rows},
                             .slice = {3},
                             .dtype = {Kind::kOther, size},
                             .duplicates = duplicates,
                             .seed = seed}));
      }
    }
    for (const Mode mode : {Mode::kDrop, Mode::kClip}) {
      CHECK(check_scatter({.outer = {tuples},
                           .indexed = {rows},
                           .slice = {3},
                           .dtype = {Kind::kInt32, 4},
                           .mode = mode,
                           .reduction = Reduction::kAdd,
                           .bad = 0.1,
                           .seed = seed}));
    }
  };
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    check_calls(300, 400, seed);
    check_calls(120, 4, seed);  // rows of many tuples
    const ByTuple sparse;
    check_calls(60, 400, seed);
    CHECK(check_scatter({.outer = {50}, .indexed = {400}, .bad = 0.1, .seed = seed}));
  }
}

TEST_CASE("few tuples over many windows of the table") {
  const SmallPieces small(64, 1000);
  const ByTuple sparse;
  for (const int64_t size : {1, 2, 3, 4, 16}) {
    for (const int64_t length : {1, 5, 16}) {
      Case c{.outer = {6}, .indexed = {500}, .slice = {length}, .dtype = {Kind::kOther, size}};
      CHECK(check_scatter(c));
      c.duplicates = Duplicates::kError;
      CHECK(check_scatter(c));
    }
    const Kind kind = size == 1   ? Kind::kUInt8
                      : size == 2 ? Kind::kInt16
                      : size == 4 ? Kind::kFloat32
                                  : Kind::kComplex128;
    if (size == 3) continue;
    for (const Reduction reduction : {Reduction::kAdd, Reduction::kMul}) {
      CHECK(check_scatter({.outer = {6},
                           .indexed = {500},
                           .slice = {3},
                           .dtype = {kind, size},
                           .mode = Mode::kDrop,
                           .reduction = reduction,
                           .bad = 0.2,
                           .values = Values::kNear}));
    }
  }
}

TEST_CASE("errors name the first bad tuple and the first duplicate across windows and chunks") {
  const SmallPieces small(256);
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    CHECK(
        check_gather({.outer = {500}, .indexed = {100}, .slice = {3}, .bad = 0.005, .seed = seed}));
    CHECK(check_scatter(
        {.outer = {500}, .indexed = {100}, .slice = {3}, .bad = 0.005, .seed = seed}));
    CHECK(check_scatter({.outer = {120},
                         .indexed = {3000},
                         .slice = {1},
                         .duplicates = Duplicates::kError,
                         .seed = seed}));
  }
}

TEST_CASE("gather: a fill value that no view shows is refused") {
  const SmallPieces small(64);
  Case c{.outer = {9}, .indexed = {5}, .mode = Mode::kFill, .bad = 0.3};
  c.dtype = {Kind::kOther, 256};
  CHECK(check_gather(c));
  c.dtype.size = 257;
  Arrays arrays(c);
  CHECK(device_gather(c, arrays).error ==
        "[d3d12] the fill value has too many bytes for the device");
}

}  // namespace
}  // namespace gathernd::testing
