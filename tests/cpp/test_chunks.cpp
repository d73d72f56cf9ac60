// Tuples grouped by the chunks of a table: under the sanitizers, from memory that ends with them.
#include "ops/chunks.hpp"

#include <algorithm>
#include <vector>

#include "support.hpp"

namespace gathernd::test {
namespace {

// Cuts of [0, size], some of which are equal.
std::vector<int64_t> cuts(Random& random, int64_t size) {
  std::vector<int64_t> bounds = {0, size};
  for (int64_t n = random(0, 4); n > 0; --n) bounds.push_back(random(0, size));
  std::ranges::sort(bounds);
  return bounds;
}

int64_t chunk_of(const std::vector<int64_t>& bounds, int64_t index) {
  return std::ranges::upper_bound(bounds, index) - bounds.begin() - 1;
}

}  // namespace

TEST_CASE_TEMPLATE("tuples are grouped by chunk, in order", L, int32_t, int64_t) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const int64_t batch = random(1, 3), outer = random(0, 700), depth = random(0, 3);
    ChunkRules rules;
    rules.mode = Mode::kFill;
    rules.batch_dims = 1;
    for (int64_t k = 0; k < depth; ++k) rules.bounds.push_back(cuts(random, random(1, 50)));
    rules.whole = Dims(std::vector<int64_t>{batch + 2, outer + 3});
    rules.corner = Dims(std::vector<int64_t>{2, 3});

    std::vector<int64_t> indices(static_cast<size_t>(batch * outer * depth));
    for (int64_t& index : indices) index = random(-3, 50);
    const std::vector<int64_t> shape = {batch, outer, depth};
    const std::vector<int64_t> strides = {outer * depth * 8, depth * 8, 8};
    const Tensor block{
        reinterpret_cast<std::byte*>(indices.data()), {Kind::kInt64, 8}, shape, strides};
    const ChunkedTuples chunked(block, rules);
    REQUIRE(chunked.tuples() == batch * outer);
    const auto n = static_cast<size_t>(chunked.tuples());
    std::vector<L> positions(n), tuples(n * static_cast<size_t>(1 + depth));
    std::vector<int64_t> begins(static_cast<size_t>(chunked.chunks()) + 1);
    chunked.group(positions.data(), tuples.data(), begins.data());

    std::vector<int64_t> next = begins;
    int64_t left_out = 0;
    for (int64_t t = 0; t < batch * outer; ++t) {
      int64_t chunk = 0;
      bool inside = true;
      std::vector<L> tuple = {static_cast<L>(t / outer)};
      for (int64_t k = 0; k < depth; ++k) {
        const auto& bounds = rules.bounds[static_cast<size_t>(k)];
        int64_t index = indices[static_cast<size_t>(t * depth + k)];
        if (index < 0) index += bounds.back();
        inside = inside && index >= 0 && index < bounds.back();
        if (!inside) break;
        const int64_t found = chunk_of(bounds, index);
        chunk = chunk * (static_cast<int64_t>(bounds.size()) - 1) + found;
        tuple.push_back(static_cast<L>(index - bounds[static_cast<size_t>(found)]));
      }
      if (!inside) {
        ++left_out;
        continue;
      }
      const auto at = static_cast<size_t>(next[static_cast<size_t>(chunk)]++);
      CHECK(positions[at] == static_cast<L>(t));
      const auto first = tuples.begin() + static_cast<int64_t>(at) * (1 + depth);
      CHECK(std::equal(tuple.begin(), tuple.end(), first));
    }
    CHECK(begins.back() == batch * outer - left_out);
  }
}

TEST_CASE("a bad tuple of a block is named by its position in all indices") {
  ChunkRules rules;
  rules.op = Operator::kScatter;
  rules.bounds = {{0, 2, 4}};
  rules.whole = Dims(std::vector<int64_t>{10, 10});
  rules.corner = Dims(std::vector<int64_t>{7, 4});
  std::vector<int32_t> indices = {0, 1, 2, 3, 4, 5};
  const std::vector<int64_t> shape = {2, 3, 1}, strides = {12, 4, 4};
  const Tensor block{
      reinterpret_cast<std::byte*>(indices.data()), {Kind::kInt32, 4}, shape, strides};
  const ChunkedTuples chunked(block, rules);
  std::vector<int32_t> positions(6), tuples(6);
  std::vector<int64_t> begins(3);
  CHECK_THROWS_WITH(chunked.group(positions.data(), tuples.data(), begins.data()),
                    "scatter_nd: index 4 at indices[8, 5, 0] is out of range for axis 0 of size 4");
}

}  // namespace gathernd::test
