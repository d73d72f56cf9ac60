#include <doctest/doctest.h>

#include "answers.hpp"

namespace gathernd::testing {
namespace {

constexpr Kind kIndexKinds[] = {Kind::kInt8,  Kind::kInt16,  Kind::kInt32,  Kind::kInt64,
                                Kind::kUInt8, Kind::kUInt16, Kind::kUInt32, Kind::kUInt64};
constexpr Mode kModes[] = {Mode::kRaise, Mode::kClip, Mode::kWrap, Mode::kFill};

TEST_CASE("gather: every index type and mode, indices in and out of range") {
  uint64_t seed = 1;
  for (const Kind kind : kIndexKinds) {
    for (const Mode mode : kModes) {
      for (const double bad : {0.0, 0.01, 0.5}) {
        CHECK(check_gather({.outer = {50},
                            .indexed = {7, 5},
                            .slice = {3},
                            .index_type = index_dtype(kind),
                            .mode = mode,
                            .bad = bad,
                            .seed = ++seed}));
      }
    }
  }
}

TEST_CASE("gather: every row length, around the units of 4 and 16 bytes") {
  for (const int64_t size : {1, 2, 3, 4, 5, 8, 12, 16, 20, 48}) {
    for (const int64_t length : {1, 2, 3, 4, 7, 16, 33}) {
      for (const Mode mode : {Mode::kRaise, Mode::kFill}) {
        CHECK(check_gather({.outer = {29},
                            .indexed = {11},
                            .slice = {length},
                            .dtype = {Kind::kOther, size},
                            .mode = mode,
                            .bad = mode == Mode::kFill ? 0.3 : 0.0}));
      }
    }
  }
}

TEST_CASE("gather: rows of up to four bytes, moved four at a time") {
  const Shape dims = {5, 3, 7, 2};
  uint64_t seed = 1;
  for (const int64_t width : {1, 2, 3, 4}) {
    for (const ptrdiff_t depth : {1, 2, 3, 4}) {
      for (const Kind kind : {Kind::kInt32, Kind::kUInt32, Kind::kInt64, Kind::kUInt64}) {
        for (const int64_t tuples : {1, 2, 3, 4, 5, 258}) {
          Case c = {.outer = {tuples},
                    .indexed = {dims.begin(), dims.begin() + depth},
                    .slice = {width},
                    .dtype = {Kind::kUInt8, 1},
                    .index_type = index_dtype(kind),
                    .seed = ++seed};
          CHECK(check_gather(c));
          c.bad = 0.1;
          CHECK(check_gather(c));
          c.mode = Mode::kClip;
          c.batch = {3};
          CHECK(check_gather(c));
        }
      }
    }
  }
}

TEST_CASE("gather: tuples of every length, with and without batches") {
  const Shape dims = {2, 3, 4, 2, 3};
  for (size_t batch = 0; batch <= 2; ++batch) {
    for (size_t depth = 0; batch + depth <= dims.size(); ++depth) {
      const auto at = [&](size_t i) { return dims.begin() + static_cast<std::ptrdiff_t>(i); };
      CHECK(check_gather({.batch = {at(0), at(batch)},
                          .outer = {4, 2},
                          .indexed = {at(batch), at(batch + depth)},
                          .slice = {at(batch + depth), dims.end()}}));
    }
  }
}

TEST_CASE("gather: sizes of zero") {
  for (const Mode mode : kModes) {
    CHECK(check_gather({.outer = {5}, .indexed = {0}, .slice = {3}, .mode = mode}));
    CHECK(check_gather({.outer = {5}, .indexed = {4}, .slice = {0}, .mode = mode, .bad = 0.5}));
    CHECK(check_gather({.outer = {0}, .indexed = {4}, .slice = {2}, .mode = mode}));
    CHECK(check_gather({.batch = {0}, .outer = {2}, .indexed = {4}, .slice = {2}, .mode = mode}));
  }
}

TEST_CASE("gather: 300000 tuples") {
  CHECK(check_gather({.outer = {300000}, .indexed = {1000}, .slice = {4}}));
  CHECK(check_gather(
      {.outer = {300000}, .indexed = {1000}, .slice = {1}, .dtype = {Kind::kUInt8, 1}}));
}

}  // namespace
}  // namespace gathernd::testing
