// The kernels of short rows, from near and from far tables, against a plain loop.
#include <vector>

#include "cpu/kernels/words.hpp"
#include "reference.hpp"
#include "support.hpp"

namespace gathernd::test {
namespace {

// A bad tuple is rare. A wrap of more than a size is not: the kernel leaves it to others.
template <class I>
struct Tuples {
  Tuples(Random& random, int least, int most)
      : n(random.one_in(3) ? 900 : static_cast<size_t>(random(0, 300))),
        depth(static_cast<size_t>(random(least, most))) {
    for (size_t k = 0; k < depth; ++k) shape.push_back(random(1, 6));
    for (size_t i = 0; i < n * depth; ++i) {
      const int64_t size = shape[i % depth];
      values.push_back(static_cast<I>(random.one_in(3000) ? 3 * size : random(-size, size - 1)));
    }
  }

  int64_t slots() const {
    int64_t product = 1;
    for (int64_t size : shape) product *= size;
    return product;
  }

  TupleRule<I, uint32_t> rule(Mode mode) const {
    TupleRule<I, uint32_t> result{};
    result.depth = static_cast<int>(depth);
    result.mode = mode;
    result.is_signed = result.wraps = result.simd = true;
    int64_t stride = 1;
    for (size_t k = depth; k-- > 0; stride *= shape[k]) {
      result.dims[k] = static_cast<I>(shape[k]);
      result.strides[k] = static_cast<uint32_t>(stride);
    }
    return result;
  }

  // What tuple t addresses, or -1.
  int64_t slot(size_t t, Mode mode) const {
    int64_t position = 0;
    for (size_t k = 0; k < depth; ++k) {
      const Outcome outcome = settle(values[t * depth + k], shape[k], mode);
      if (outcome.what != Outcome::kIndex) return -1;
      position = position * shape[k] + outcome.index;
    }
    return position;
  }

  size_t n, depth;
  std::vector<int64_t> shape;
  std::vector<I> values;
};

// The kernel stops before the vector with the first bad tuple, or before what fills none, and
// writes no row after that.
template <class I, class Kernel>
void check(const Tuples<I>& tuples, Kernel kernel, Random& random, size_t bytes, bool fetch) {
  const Mode mode = random.one_of({Mode::kRaise, Mode::kClip, Mode::kWrap});
  GuardedBuffer table(static_cast<size_t>(tuples.slots()) * bytes), rows(tuples.n * bytes);
  random.fill(table);
  random.fill(rows);
  std::vector<std::byte> expected = rows.bytes();
  const ShortRows to{table.data(), fetch, rows.data(), bytes};
  const size_t done = kernel(tuples.rule(mode), to);
  REQUIRE(done <= tuples.n);
  const bool vectors = cpu_target() != "SCALAR";
  if (mode == Mode::kClip && vectors) REQUIRE(tuples.n - done < kMostLanes);
  for (size_t t = 0; t < done; ++t) {
    const int64_t slot = tuples.slot(t, mode);
    REQUIRE(slot >= 0);
    std::memcpy(expected.data() + t * bytes, table.data() + static_cast<size_t>(slot) * bytes,
                bytes);
  }
  REQUIRE(rows.bytes() == expected);
  REQUIRE(rows.guards_intact());
}

template <class I>
void check_tuples(GatherShortFn<I, uint32_t> kernel, Random& random, size_t bytes, bool fetch) {
  const Tuples<I> tuples(random, 1, kShortTuple);
  const auto call = [&](const TupleRule<I, uint32_t>& rule, const ShortRows& rows) {
    return kernel(rule, tuples.values.data(), rows, tuples.n);
  };
  check(tuples, call, random, bytes, fetch);
}

template <class I>
void check_apart(GatherApartFn<I> kernel, Random& random, size_t bytes, bool fetch) {
  const Tuples<I> tuples(random, 2, kMostApart);
  std::vector<GuardedBuffer> memory;
  const I* components[kMostApart] = {};
  for (size_t k = 0; k < tuples.depth; ++k) {
    auto* const to = reinterpret_cast<I*>(memory.emplace_back(tuples.n * sizeof(I)).data());
    for (size_t t = 0; t < tuples.n; ++t) to[t] = tuples.values[t * tuples.depth + k];
    components[k] = to;
  }
  const auto call = [&](const TupleRule<I, uint32_t>& rule, const ShortRows& rows) {
    return kernel(rule, components, rows, tuples.n);
  };
  check(tuples, call, random, bytes, fetch);
}

}  // namespace

TEST_CASE("the kernels of short rows") {
  on_every_target([](const Kernels& kernels) {
    const ApartKernels& apart = apart_kernels();
    Random random(82);
    for (size_t bytes : {1u, 2u, 3u, 4u, 6u, 8u, 16u}) {
      for (int trial = 0; trial < 100; ++trial) {
        INFO("rows of ", bytes, " bytes, trial ", trial);
        const bool fetch = trial % 2 == 0 && !is_pixel(static_cast<int64_t>(bytes));
        check_tuples<int32_t>(kernels.move.narrow.gather_short32, random, bytes, fetch);
        check_tuples<int64_t>(kernels.move.narrow.gather_short64, random, bytes, fetch);
        check_apart<int32_t>(apart.gather32, random, bytes, fetch);
        check_apart<int64_t>(apart.gather64, random, bytes, fetch);
      }
    }
  });
}

}  // namespace gathernd::test
