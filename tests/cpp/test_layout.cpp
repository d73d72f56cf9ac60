// Walks and slices, each against a plain loop over small random views.
#include <algorithm>
#include <vector>

#include "core/layout.hpp"
#include "cpu/common/slices.hpp"
#include "views.hpp"

namespace gathernd::test {
namespace {

constexpr int64_t kHuge = int64_t{1} << 62;

using Shape = std::vector<int64_t>;

Walk walk_of(const Shape& shape, const Shape& strides) { return make_walk(shape, strides); }

bool is_walk(const Walk& walk, const Shape& size, const Shape& stride) {
  return same_shape(span(walk.size), size) && same_shape(span(walk.stride), stride);
}

}  // namespace

TEST_CASE("make_walk merges neighbours and drops sizes of 1") {
  CHECK(is_walk(walk_of({}, {}), {}, {}));
  CHECK(is_walk(walk_of({1, 1}, {5, 7}), {}, {}));
  CHECK(is_walk(walk_of({2, 3, 4}, {12, 4, 1}), {24}, {1}));
  CHECK(is_walk(walk_of({2, 1, 3}, {3, 99, 1}), {6}, {1}));
  CHECK(is_walk(walk_of({2, 3}, {1, 2}), {2, 3}, {1, 2}));
  CHECK(is_walk(walk_of({2, 3, 4}, {20, 4, 1}), {2, 12}, {20, 1}));
  CHECK(is_walk(walk_of({2, 3}, {-3, -1}), {6}, {-1}));
  CHECK(is_walk(walk_of({2, 3}, {0, 0}), {6}, {0}));
  CHECK(is_walk(walk_of({2, 3}, {0, 1}), {2, 3}, {0, 1}));
  CHECK(is_walk(walk_of({2, 0, kHuge}, {kHuge, kHuge, kHuge}), {}, {}));
}

TEST_CASE("for_each_run covers any range as a plain loop does") {
  Random random(1);
  for (int trial = 0; trial < 3000; ++trial) {
    const View view = random_view(random, 1, -9, 9);
    const std::vector<int64_t> expected = offsets_of(view);
    const auto total = static_cast<int64_t>(expected.size());
    const int64_t first = random(0, total);
    const int64_t n = random(0, total - first);
    std::vector<int64_t> found;
    const Walk walk = make_walk(span(view.shape), span(view.strides));
    for_each_run(walk, first, n, [&](int64_t offset, int64_t stride, int64_t run) {
      CHECK(run > 0);
      for (int64_t i = 0; i < run; ++i) found.push_back(offset + i * stride);
    });
    REQUIRE(found == std::vector(expected.begin() + first, expected.begin() + first + n));
  }
}

TEST_CASE("make_slice keeps every byte of both sides, in order") {
  Random random(2);
  for (int trial = 0; trial < 3000; ++trial) {
    const View table = random_view(random, 0, -40, 40);
    View row = table;
    row.strides = c_strides(span(row.shape), row.size);
    if (random.one_in(3)) {
      for (int64_t& stride : row.strides) stride = random(-40, 40);
    }
    using Pair = std::pair<int64_t, int64_t>;
    std::vector<Pair> expected, found;
    for (int64_t p = 0; p < count(span(table.shape)); ++p) {
      const Dims at = unravel(p, span(table.shape));
      for (int64_t i = 0; i < table.size; ++i) {
        expected.push_back(
            {offset_of(at, span(table.strides)) + i, offset_of(at, span(row.strides)) + i});
      }
    }
    const Slice slice =
        make_slice(span(table.shape), span(table.strides), span(row.strides), table.size);
    REQUIRE(slice.bytes == static_cast<int64_t>(expected.size()));
    if (slice.bytes == 0) continue;
    CHECK(slice.chunk % table.size == 0);
    for_each_chunk(slice, [&](int64_t a, int64_t b) {
      for (int64_t i = 0; i < slice.chunk; ++i) found.push_back({a + i, b + i});
    });
    REQUIRE(found == expected);
  }
}

TEST_CASE("make_slice makes one chunk of what is contiguous on both sides") {
  const Shape shape{2, 1, 3}, packed{24, 99, 8}, gaps{48, 99, 8};
  CHECK(make_slice(shape, packed, packed, 8).chunk == 48);
  CHECK(make_slice(shape, packed, packed, 8).size.empty());
  CHECK(make_slice(shape, packed, gaps, 8).chunk == 24);
  CHECK(make_slice(shape, packed, gaps, 8).size.size() == 1);
  CHECK(make_slice({}, {}, {}, 8).chunk == 8);
}

TEST_CASE(
    "order_by_stride goes from long strides to short ones and keeps the order of equal ones") {
  const auto is_order = [](const Shape& strides, const Shape& axes) {
    return same_shape(span(order_by_stride(strides)), axes);
  };
  CHECK(is_order({}, {}));
  CHECK(is_order({12, 4, 1}, {0, 1, 2}));
  CHECK(is_order({1, 4, 12}, {2, 1, 0}));
  CHECK(is_order({4, -12, 4, 0, 4}, {1, 0, 2, 4, 3}));
  CHECK(is_order({INT64_MAX, INT64_MIN, -1}, {1, 0, 2}));
}

TEST_CASE("cut_slice parts cover the slice once, in order") {
  Random random(3);
  for (int trial = 0; trial < 1000; ++trial) {
    const View view = random_view(random, 1, -40, 40);
    const Slice slice =
        make_slice(span(view.shape), span(view.strides), span(view.strides), view.size);
    std::vector<int64_t> whole, joined;
    for_each_chunk(slice, [&](int64_t at, int64_t) {
      for (int64_t i = 0; i < slice.chunk; ++i) whole.push_back(at + i);
    });
    const int64_t parts = random(1, 9);
    int64_t bytes = 0;
    for (int64_t p = 0; p < parts; ++p) {
      const SlicePart part = cut_slice(slice, view.size, p, parts);
      bytes += part.slice.bytes;
      if (part.slice.bytes == 0) continue;
      for_each_chunk(part.slice, [&](int64_t at, int64_t) {
        for (int64_t i = 0; i < part.slice.chunk; ++i) joined.push_back(part.table_offset + at + i);
      });
    }
    REQUIRE(joined == whole);
    REQUIRE(bytes == slice.bytes);
  }
}
}  // namespace gathernd::test
