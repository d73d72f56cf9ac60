#include <doctest/doctest.h>

#include "answers.hpp"

namespace gathernd::testing {
namespace {

constexpr Kind kIndexKinds[] = {Kind::kInt8,  Kind::kInt16,  Kind::kInt32,  Kind::kInt64,
                                Kind::kUInt8, Kind::kUInt16, Kind::kUInt32, Kind::kUInt64};
constexpr Mode kModes[] = {Mode::kRaise, Mode::kClip, Mode::kWrap, Mode::kDrop};

TEST_CASE("scatter: every index type, mode and rule for duplicates") {
  uint64_t seed = 1;
  for (const Kind kind : kIndexKinds) {
    for (const Mode mode : kModes) {
      for (const Duplicates duplicates :
           {Duplicates::kLast, Duplicates::kFirst, Duplicates::kError}) {
        for (const double bad : {0.0, 0.3}) {
          CHECK(check_scatter({.outer = {20},
                               .indexed = {9, 11},
                               .slice = {3},
                               .index_type = index_dtype(kind),
                               .mode = mode,
                               .duplicates = duplicates,
                               .bad = bad,
                               .seed = ++seed}));
        }
      }
    }
  }
}

TEST_CASE("scatter: every row length, around the units of 4 and 16 bytes") {
  for (const int64_t size : {1, 2, 3, 4, 5, 8, 12, 16, 20, 48}) {
    for (const int64_t length : {1, 2, 3, 4, 7, 16, 33}) {
      CHECK(check_scatter(
          {.outer = {29}, .indexed = {40}, .slice = {length}, .dtype = {Kind::kOther, size}}));
    }
  }
}

TEST_CASE("scatter: tuples of every length, with and without batches") {
  const Shape dims = {2, 3, 4, 2, 3};
  for (size_t batch = 0; batch <= 2; ++batch) {
    for (size_t depth = 0; batch + depth <= dims.size(); ++depth) {
      const auto at = [&](size_t i) { return dims.begin() + static_cast<std::ptrdiff_t>(i); };
      CHECK(check_scatter({.batch = {at(0), at(batch)},
                           .outer = {4, 2},
                           .indexed = {at(batch), at(batch + depth)},
                           .slice = {at(batch + depth), dims.end()}}));
    }
  }
}

TEST_CASE("scatter: sizes of zero") {
  for (const Mode mode : kModes) {
    CHECK(check_scatter({.outer = {5}, .indexed = {0}, .slice = {3}, .mode = mode}));
    CHECK(check_scatter({.outer = {5}, .indexed = {4}, .slice = {0}, .mode = mode, .bad = 0.5}));
  }
}

TEST_CASE("scatter: many duplicates, the last and the first win") {
  for (const Duplicates duplicates : {Duplicates::kLast, Duplicates::kFirst}) {
    for (const int64_t rows : {1, 3, 64, 1000}) {
      CHECK(check_scatter(
          {.outer = {100000}, .indexed = {rows}, .slice = {2}, .duplicates = duplicates}));
    }
  }
}

TEST_CASE("scatter: the first repeated tuple is named") {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    CHECK(check_scatter({.outer = {5000},
                         .indexed = {1000000},
                         .slice = {1},
                         .duplicates = Duplicates::kError,
                         .seed = seed}));
  }
}

}  // namespace
}  // namespace gathernd::testing
