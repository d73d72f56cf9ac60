// Extents and overlap, each against the bytes that a plain loop lists.
#include <algorithm>
#include <vector>

#include "core/overlap.hpp"
#include "views.hpp"

namespace gathernd::test {
namespace {

constexpr int64_t kHuge = int64_t{1} << 62;

using Shape = std::vector<int64_t>;

bool find(const Shape& shape, const Shape& strides, Extent* extent) {
  return find_extent({nullptr, {Kind::kOther, 4, true}, shape, strides}, extent);
}

bool repeats(const Shape& shape, const Shape& strides, int64_t size) {
  return overlaps_itself({nullptr, {Kind::kOther, size, true}, shape, strides});
}

}  // namespace

TEST_CASE("find_extent gives the first and the last byte") {
  Random random(11);
  for (int trial = 0; trial < 1000; ++trial) {
    const View view = random_view(random, 0, -9, 9);
    const std::vector<int64_t> bytes = bytes_of(view);
    Extent extent;
    REQUIRE(find_extent(view.tensor(), &extent));
    CHECK(extent.low == (bytes.empty() ? 0 : bytes.front()));
    CHECK(extent.high == (bytes.empty() ? 0 : bytes.back() + 1));
  }
}

TEST_CASE("find_extent refuses what no address space holds") {
  Extent extent;
  CHECK_FALSE(find({2}, {kHuge}, &extent));
  CHECK_FALSE(find({2}, {-kHuge}, &extent));
  CHECK_FALSE(find({2}, {INT64_MIN}, &extent));
  CHECK_FALSE(find({2, 2}, {INT64_MAX, INT64_MAX}, &extent));
  CHECK_FALSE(find({2, 2}, {kHuge, -kHuge}, &extent));
  CHECK_FALSE(find({int64_t{1} << 32}, {int64_t{1} << 32}, &extent));
  CHECK_FALSE(find({INT64_MAX}, {INT64_MIN}, &extent));
  CHECK(find({INT64_MAX}, {0}, &extent));
  CHECK(extent.high == 4);
  CHECK(find({1, 1}, {INT64_MIN, INT64_MAX}, &extent));
  CHECK(extent.high == 4);
  CHECK(find({0, INT64_MAX}, {kHuge, kHuge}, &extent));
  CHECK(extent.high == 0);
}

TEST_CASE("overlaps_itself is exact") {
  Random random(12);
  int overlapping = 0, apart = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    const View view = random_view(random, 0, -12, 12);
    const std::vector<int64_t> bytes = bytes_of(view);
    const bool expected = std::ranges::adjacent_find(bytes) != bytes.end();
    REQUIRE(overlaps_itself(view.tensor()) == expected);
    ++(expected ? overlapping : apart);
  }
  CHECK(overlapping > 100);
  CHECK(apart > 100);
}

TEST_CASE("overlaps_itself on layouts that matter") {
  CHECK_FALSE(repeats({2, 3}, {3, 2}, 1));  // interleaved: 0 2 4 3 5 7
  CHECK(repeats({2, 3}, {3, 2}, 2));
  CHECK(repeats({2, 3}, {4, 2}, 1));  // 0 2 4 4 6 8
  CHECK_FALSE(repeats({4, 2}, {1, 4}, 1));
  CHECK_FALSE(repeats({3, 4}, {-8, 2}, 2));
  CHECK(repeats({3}, {0}, 1));
  CHECK_FALSE(repeats({1}, {0}, 8));
  CHECK_FALSE(repeats({0, 3}, {0, 0}, 1));
  CHECK_FALSE(repeats({3}, {0}, 0));
  CHECK(repeats({2}, {7}, 8));
  CHECK(repeats({2}, {kHuge}, 8));        // cannot be memory
  CHECK(repeats({kHuge, 4}, {0, 0}, 1));  // cannot be counted
  CHECK(repeats({kHuge}, {0}, 16));
}

TEST_CASE("may_overlap is true where two views share a byte") {
  Random random(13);
  GuardedBuffer memory(1000);
  int shared = 0, disjoint = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    const View a = random_view(random, 0, -20, 20), b = random_view(random, 0, -20, 20);
    std::byte* data = memory.data() + 500;
    const int64_t shift = random(-200, 200);
    std::vector<int64_t> x = bytes_of(a), y = bytes_of(b), both;
    for (int64_t& byte : y) byte += shift;
    std::ranges::set_intersection(x, y, std::back_inserter(both));
    const bool apart = x.empty() || y.empty() || x.back() < y.front() || y.back() < x.front();
    const bool found = may_overlap(a.tensor(data), b.tensor(data + shift));
    REQUIRE(found == may_overlap(b.tensor(data + shift), a.tensor(data)));
    if (!both.empty()) REQUIRE(found);
    if (apart) REQUIRE_FALSE(found);
    shared += !both.empty();
    disjoint += apart;
  }
  CHECK(shared > 100);
  CHECK(disjoint > 100);
}

TEST_CASE("may_overlap is true of what no address space holds") {
  std::byte data[8];
  const View near{Dims(Shape{8}), Dims(Shape{1}), 1}, far{Dims(Shape{2}), Dims(Shape{kHuge}), 1};
  CHECK(may_overlap(near.tensor(data), far.tensor(data)));
  CHECK(may_overlap(far.tensor(data), near.tensor(data)));
}

TEST_CASE("same_memory looks at places, not at strides of 1-sized dimensions") {
  std::byte data[64];
  const View view{Dims(Shape{2, 1, 3}), Dims(Shape{12, 7, 4}), 4};
  View other = view;
  other.strides[1] = 99;
  CHECK(same_memory(view.tensor(data), other.tensor(data)));
  CHECK_FALSE(same_memory(view.tensor(data), view.tensor(data + 4)));
  other.strides[2] = -4;
  CHECK_FALSE(same_memory(view.tensor(data), other.tensor(data)));
  other = view;
  other.size = 2;
  CHECK_FALSE(same_memory(view.tensor(data), other.tensor(data)));
  other = {Dims(Shape{2, 3}), Dims(Shape{12, 4}), 4};
  CHECK_FALSE(same_memory(view.tensor(data), other.tensor(data)));
}

TEST_CASE("count_elements and c_strides") {
  int64_t n;
  CHECK(count_elements({}, &n));
  CHECK(n == 1);
  CHECK(count_elements(Shape{3, 4, 5}, &n));
  CHECK(n == 60);
  CHECK(count_elements(Shape{kHuge, kHuge, 0}, &n));
  CHECK(n == 0);
  CHECK(count_elements(Shape{INT64_MAX, 1}, &n));
  CHECK(n == INT64_MAX);
  CHECK_FALSE(count_elements(Shape{kHuge, 2}, &n));
  CHECK(same_shape(span(c_strides(Shape{2, 3, 4}, 8)), Shape{96, 32, 8}));
  CHECK(c_strides({}, 8).empty());
}

}  // namespace gathernd::test
