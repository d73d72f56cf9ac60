// Masks to positions: every length, layout and byte, by a plain loop.
#include "ops/true_positions.hpp"

#include <array>
#include <random>
#include <vector>

#include "core/layout.hpp"
#include "support.hpp"

namespace gathernd::test {
namespace {

template <class I>
std::vector<I> list(const TruePositions& found) {
  constexpr I kSentinel = -7;
  std::vector<I> positions(static_cast<size_t>(found.count()) + 1, kSentinel);
  found.list(positions.data());
  CHECK(positions.back() == kSentinel);
  positions.pop_back();
  return positions;
}

void check(const Tensor& mask) {
  const Dims counted = c_strides(mask.shape, 1);
  int64_t elements = 0;
  REQUIRE(count_elements(mask.shape, &elements));
  std::vector<int32_t> expected;
  std::vector<std::vector<int32_t>> places(mask.shape.size());
  for (int64_t p = 0; p < elements; ++p) {
    int64_t offset = 0, rest = p;
    Dims place;
    for (size_t i = 0; i < mask.shape.size(); ++i) {
      place.push_back(rest / counted[static_cast<int>(i)]);
      rest %= counted[static_cast<int>(i)];
      offset += place.back() * mask.strides[i];
    }
    if (mask.data[offset] == std::byte{0}) continue;
    expected.push_back(static_cast<int32_t>(p));
    for (size_t i = 0; i < places.size(); ++i) {
      places[i].push_back(static_cast<int32_t>(place[static_cast<int>(i)]));
    }
  }
  const TruePositions found(mask);
  REQUIRE(found.count() == static_cast<int64_t>(expected.size()));
  const std::vector<int32_t> positions = list<int32_t>(found);
  CHECK(positions == expected);
  const std::vector<int64_t> wide = list<int64_t>(found);
  CHECK(std::vector<int32_t>(wide.begin(), wide.end()) == expected);
  std::vector<std::vector<int32_t>> coordinates(places.size(),
                                                std::vector<int32_t>(expected.size()));
  std::vector<int32_t*> to;
  for (auto& array : coordinates) to.push_back(array.data());
  list_coordinates<int32_t>(mask.shape, positions, to);
  CHECK(coordinates == places);
}

}  // namespace

TEST_CASE("true positions: every length about the blocks, every density") {
  std::mt19937 random(1);
  const DType type{Kind::kBool, 1};
  for (const int64_t n : {0, 1, 7, 8, 9, 63, 64, 65, 4095, 4096, 4097, 8192, 100'003}) {
    for (const unsigned percent : {0u, 3u, 50u, 100u}) {
      std::vector<std::byte> bytes(static_cast<size_t>(n) + 1);
      for (std::byte& b : bytes) {
        b = random() % 100 < percent ? static_cast<std::byte>(1 + random() % 255) : std::byte{0};
      }
      bytes.back() = std::byte{1};  // past the end
      const std::array<int64_t, 1> shape{n}, forward{1}, backward{-1};
      check({bytes.data(), type, shape, forward});
      if (n > 0) check({bytes.data() + n - 1, type, shape, backward});
    }
  }
}

TEST_CASE("true positions: dimensions in any order, gaps and repetitions") {
  std::mt19937 random(2);
  const DType type{Kind::kBool, 1};
  std::vector<std::byte> bytes(70 * 90 * 3);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random() % 2);
  const std::array<int64_t, 3> shape{70, 90, 3};
  for (const auto& strides : std::vector<std::array<int64_t, 3>>{
           {270, 3, 1}, {1, 70, 6300}, {3, 210, 1}, {270, 0, 1}, {0, 0, 0}}) {
    check({bytes.data(), type, shape, strides});
  }
  const std::array<int64_t, 2> pairs{3150, 3}, apart{6, 2}, none{0, 5};
  check({bytes.data(), type, pairs, apart});
  check({bytes.data(), type, none, apart});
}

}  // namespace gathernd::test
