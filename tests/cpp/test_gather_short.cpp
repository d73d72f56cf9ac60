// Short rows, which are moved as their tuples are resolved: against a plain loop, with tables and
// results that end where memory ends.
#include <algorithm>
#include <vector>

#include "core/layout.hpp"
#include "elements.hpp"
#include "gathernd/error.hpp"
#include "gathernd/gathernd.hpp"
#include "reference.hpp"
#include "support.hpp"

namespace gathernd::test {
namespace {

struct Case {
  Case(Random& random, DType dtype_, DType index_type_, int depth)
      : dtype(dtype_), index_type(index_type_), n(random.one_in(8) ? 2500 : random(0, 80)) {
    const int64_t most = depth > 2 ? 5 : depth == 2 ? 70 : index_type.size == 1 ? 120 : 5000;
    for (int k = 0; k < depth; ++k) shape.push_back(random(1, most));
    tuples_shape = {n, depth};
    rows_shape = {n};
  }

  DType dtype, index_type;
  int64_t n;
  std::vector<int64_t> shape, tuples_shape, rows_shape;
};

size_t bytes_of(const std::vector<int64_t>& shape, const DType& dtype) {
  return static_cast<size_t>(count(shape) * dtype.size);
}

Tensor packed(GuardedBuffer& memory, const DType& dtype, const std::vector<int64_t>& shape,
              Dims* strides) {
  *strides = c_strides(shape, dtype.size);
  return {memory.data(), dtype, shape, span(*strides)};
}

// The position of what tuple t addresses, or -1.
int64_t resolve(const Case& c, const std::vector<int64_t>& values, int64_t t, Mode mode) {
  int64_t position = 0;
  const auto depth = static_cast<int64_t>(c.shape.size());
  for (int64_t k = 0; k < depth; ++k) {
    const int64_t size = c.shape[static_cast<size_t>(k)];
    const Outcome outcome = settle(values[static_cast<size_t>(t * depth + k)], size, mode);
    if (outcome.what != Outcome::kIndex) return -1;
    position = position * size + outcome.index;
  }
  return position;
}

void check(Random& random, const Case& c, Mode mode) {
  GuardedBuffer table(bytes_of(c.shape, c.dtype)), tuples(bytes_of(c.tuples_shape, c.index_type)),
      rows(bytes_of(c.rows_shape, c.dtype));
  random.fill(table);
  const bool some_bad = random.one_in(3);
  std::vector<int64_t> values;
  for (int64_t i = 0; i < count(c.tuples_shape); ++i) {
    const int64_t size = c.shape[static_cast<size_t>(i) % c.shape.size()];
    const bool bad = some_bad && random.one_in(2 * c.n);
    const bool is_signed = is_signed_index(c.index_type.kind);
    const int64_t least = is_signed ? -size : 0;
    const int64_t bits = std::min<int64_t>(8 * c.index_type.size, 32);
    const int64_t largest = (int64_t{1} << (bits - 1)) - 1;
    values.push_back(!bad        ? random(least, size - 1)
                     : is_signed ? random.one_of<int64_t>({size, largest, -size - 1, -largest - 1})
                                 : random.one_of<int64_t>({size, largest}));
    store_index(tuples.data() + i * c.index_type.size, c.index_type, values.back());
  }
  const auto size = static_cast<size_t>(c.dtype.size);
  std::vector<std::byte> expected;
  int64_t first_bad = -1;
  for (int64_t t = 0; t < c.n; ++t) {
    const int64_t position = resolve(c, values, t, mode);
    if (position < 0 && first_bad < 0) first_bad = t;
    const std::byte* from =
        table.data() + static_cast<size_t>(std::max<int64_t>(position, 0)) * size;
    expected.insert(expected.end(), from, from + size);
  }
  Dims strides[3];
  const Tensor output = packed(rows, c.dtype, c.rows_shape, &strides[0]);
  const auto call = [&] {
    gather_nd(packed(table, c.dtype, c.shape, &strides[1]),
              packed(tuples, c.index_type, c.tuples_shape, &strides[2]), output,
              {.mode = mode, .fresh_output = true});
  };
  if (first_bad >= 0) {
    const std::string place = "indices[" + std::to_string(first_bad) + ",";
    REQUIRE(error_of(ErrorKind::kIndex, call).find(place) != std::string::npos);
    return;
  }
  call();
  REQUIRE(std::equal(expected.begin(), expected.end(), rows.data()));
  REQUIRE(rows.guards_intact());
}

}  // namespace

TEST_CASE("short rows") {
  for (std::string_view target : cpu_targets()) {
    for (int threads : {1, 3}) {
      const Configured configured(target, threads, 64);
      Random random(81);
      for (int trial = 0; trial < 400; ++trial) {
        INFO("target ", std::string(target), " threads ", threads, " trial ", trial);
        const auto size = random.one_of<int64_t>({1, 2, 3, 4, 6, 8, 12, 16, 24, 32});
        const DType dtype{Kind::kOther, size, true};
        const Kind kind = kIndexKinds[random(0, std::ssize(kIndexKinds) - 1)];
        const Case c(random, dtype, {kind, size_of(kind), true}, static_cast<int>(random(1, 6)));
        check(random, c, random.one_of({Mode::kRaise, Mode::kClip, Mode::kWrap}));
      }
    }
  }
}

}  // namespace gathernd::test
