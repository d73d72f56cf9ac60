// More bytes than the caches hold, which are written past them: results of gathers, updates, and
// the input of a scatter into a new array.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "cpu/common/tuning.hpp"
#include "gathernd/gathernd.hpp"
#include "support.hpp"

namespace gathernd::test {
namespace {

using Shape = std::vector<int64_t>;

constexpr DType kByte{Kind::kUInt8, 1, true};
constexpr DType kIndex{Kind::kInt32, 4, true};

// Caches are taken to be so much smaller: then arrays go every way of large ones.
constexpr int64_t kShrink = 32;
constexpr int64_t kShrunkMiB = (int64_t{1} << 20) / kShrink;
constexpr int64_t kRows = 33 * kShrunkMiB, kTable = 66 * kShrunkMiB;  // bytes, about

void shrink_caches() {
  Tuning t;
  for (int64_t* bytes : {&t.stream_bytes, &t.stream_long_rows_bytes, &t.stream_copy_bytes,
                         &t.prefetch_updates, &t.far_table_bytes}) {
    *bytes /= kShrink;
  }
  set_tuning(t);
}

// Random bytes, again and again: of no row the same ones for long.
void fill(Random& random, std::byte* to, int64_t n) {
  constexpr int64_t kPeriod = 100'003;
  for (int64_t i = 0; i < kPeriod; ++i) to[i] = static_cast<std::byte>(random.bits());
  for (int64_t i = kPeriod; i < n; i += kPeriod) {
    std::memcpy(to + i, to + i - kPeriod, static_cast<size_t>(std::min(kPeriod, n - i)));
  }
}

// A table and rows of `bytes` each, which begin anywhere in a cache line.
struct Large {
  Large(Random& random, int64_t bytes, size_t begin)
      : n(kRows / bytes),
        table_shape{kTable / bytes, bytes},
        rows_shape{n, bytes},
        strides{bytes, 1},
        table(static_cast<size_t>(kTable) + begin),
        rows(static_cast<size_t>(kRows) + begin),
        found(static_cast<size_t>(kTable) + begin),
        shift(begin) {
    fill(random, table.data() + shift, kTable);
    fill(random, rows.data() + shift, kRows);
    for (int64_t t = 0; t < n; ++t) {
      // Now and then one that was there.
      const bool again = t > 0 && random.one_in(4);
      const int64_t at =
          again ? tuples[static_cast<size_t>(random(0, t - 1))] : random(0, table_shape[0] - 1);
      tuples.push_back(static_cast<int32_t>(at));
    }
  }

  Tensor tensor(GuardedBuffer& memory, const Shape& shape) const {
    return {memory.data() + shift, kByte, shape, strides};
  }
  Tensor indices() {
    return {reinterpret_cast<std::byte*>(tuples.data()), kIndex, indices_shape, indices_strides};
  }
  std::byte* row(GuardedBuffer& memory, int64_t i) const {
    return memory.data() + shift + i * strides[0];
  }

  int64_t n;
  Shape table_shape, rows_shape, strides;
  GuardedBuffer table, rows, found;
  size_t shift;
  std::vector<int32_t> tuples;
  Shape indices_shape{n, 1}, indices_strides{4, 4};
};

void check(Large& large) {
  const auto bytes = static_cast<size_t>(large.strides[0]);
  gather_nd(large.tensor(large.table, large.table_shape), large.indices(),
            large.tensor(large.found, large.rows_shape));
  int64_t wrong = 0;
  for (int64_t t = 0; t < large.n; ++t) {
    wrong += std::memcmp(large.row(large.found, t),
                         large.row(large.table, large.tuples[static_cast<size_t>(t)]), bytes) != 0;
  }
  CHECK(wrong == 0);

  for (const Duplicates duplicates : {Duplicates::kLast, Duplicates::kFirst}) {
    scatter_nd(large.tensor(large.table, large.table_shape), large.indices(),
               large.tensor(large.rows, large.rows_shape),
               large.tensor(large.found, large.table_shape),
               {0, Mode::kRaise, Reduction::kNone, duplicates});
    std::vector<int64_t> winners(static_cast<size_t>(large.table_shape[0]), -1);
    for (int64_t t = 0; t < large.n; ++t) {
      int64_t& winner = winners[static_cast<size_t>(large.tuples[static_cast<size_t>(t)])];
      if (winner < 0 || duplicates == Duplicates::kLast) winner = t;
    }
    for (int64_t i = 0; i < large.table_shape[0]; ++i) {
      const int64_t winner = winners[static_cast<size_t>(i)];
      const std::byte* expected =
          winner < 0 ? large.row(large.table, i) : large.row(large.rows, winner);
      wrong += std::memcmp(large.row(large.found, i), expected, bytes) != 0;
    }
    CHECK(wrong == 0);
  }
  CHECK(large.found.guards_intact());
}

}  // namespace

TEST_CASE("gathers and scatters of more bytes than the caches are taken to hold") {
  Random random(81);
  for (const auto& rows : {std::pair<int64_t, size_t>{64, 0},
                           {100, 0},
                           {256, 0},
                           {300, 0},
                           {1024, 0},
                           {1024, 16},
                           {4100, 3}}) {
    const int64_t bytes = rows.first;
    const size_t shift = rows.second;
    INFO("rows of ", bytes, " shift ", shift);
    Large large(random, bytes, shift);
    {
      const Configured configured(cpu_target(), 3, 0);
      shrink_caches();
      check(large);
    }
    on_every_target([&](const Kernels&) {
      shrink_caches();
      check(large);
    });
  }
}

}  // namespace gathernd::test
