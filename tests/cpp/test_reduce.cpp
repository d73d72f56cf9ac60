// The kernels that combine rows, in the order of the tuples and by runs of one destination: each
// target, element type and reduction against a plain loop.
#include <algorithm>
#include <utility>
#include <vector>

#include "cpu/kernels/element.hpp"
#include "elements.hpp"

namespace gathernd::test {
namespace {

constexpr int64_t kSlots = 7;
// A row; around the lanes of a vector, and around the 64 that are kept at a time.
constexpr int64_t kElements[] = {1, 2, 3, 5, 8, 16, 17, 33, 63, 64, 65, 130};
constexpr int64_t kTuples[] = {0, 1, 2, 3, 20};
constexpr int64_t kManyTuples = 200;  // more than are fetched ahead

GuardedBuffer random_elements(Random& random, Kind kind, int64_t n) {
  const int64_t size = size_of(kind);
  GuardedBuffer elements(static_cast<size_t>(n * size), static_cast<size_t>(random(0, 9)));
  for (int64_t i = 0; i < n; ++i) random_element(random, kind, elements.data() + i * size);
  return elements;
}

// Rows of `length` elements and a table of kSlots such slices; slots repeat.
struct Updates {
  Updates(Random& random, Kind kind_, Reduction reduction_, int64_t tuples, int64_t length)
      : kind(kind_),
        reduction(reduction_),
        size(size_of(kind_)),
        row(length * size),
        scale(random.one_of<int64_t>({1, size, row})),
        table(random_elements(random, kind, kSlots * length)),
        rows(random_elements(random, kind, tuples * length)),
        totals(kind, size, reduction, table.bytes()) {
    for (int64_t i = 0; i < tuples; ++i) {
      slots.push_back(random(0, kSlots - 1));
      positions.push_back(random(0, tuples - 1));
    }
  }

  void expect(int64_t slot, int64_t position) {
    for (int64_t at = 0; at < row; at += size) {
      totals.update((slot * row + at) / size, rows.data() + position * row + at);
    }
  }

  void check() {
    const std::vector<std::byte> expected = totals.elements();
    bool same = true;
    for (int64_t at = 0; at < kSlots * row; at += size) {
      same = same && same_element(kind, table.data() + at, &expected[static_cast<size_t>(at)]);
    }
    REQUIRE(same);
    REQUIRE(table.guards_intact());
    REQUIRE(rows.guards_intact());
  }

  Kind kind;
  Reduction reduction;
  int64_t size, row, scale;  // bytes
  GuardedBuffer table, rows;
  Totals totals;
  std::vector<int64_t> slots, positions;
};

// The kernels add halves to a table of floats.
template <class T>
std::vector<float> to_floats(Updates& updates) {
  std::vector<float> floats;
  for (int64_t at = 0; at < kSlots * updates.row; at += 2) {
    floats.push_back(to_float(gathernd::load<T>(updates.table.data() + at)));
  }
  return floats;
}

void round_floats(const std::vector<float>& floats, Updates* updates) {
  std::byte* to = updates->table.data();
  for (const float value : floats) {
    if (updates->kind == Kind::kFloat16) {
      store(to_half(value), to);
    } else {
      store(to_bfloat16(value), to);
    }
    to += 2;
  }
}

// `repeats`: one row for all tuples.
template <class O>
void check_rows(void (*reduce)(const ScatterTile<O>&), Random& random, Updates updates,
                bool repeats = false) {
  std::vector<O> offsets;
  std::vector<uint32_t> positions;
  const bool in_order = random.one_in(2);
  for (size_t i = 0; i < updates.slots.size(); ++i) {
    const int64_t position = in_order ? static_cast<int64_t>(i) : updates.positions[i];
    offsets.push_back(static_cast<O>(updates.slots[i] * updates.row / updates.scale));
    positions.push_back(static_cast<uint32_t>(position));
    updates.expect(updates.slots[i], repeats ? 0 : position);
  }
  const auto fetch = static_cast<Fetch>(random(0, 2));
  ScatterTile<O> tile{updates.table.data(),
                      updates.scale,
                      fetch,
                      offsets.data(),
                      in_order ? nullptr : positions.data(),
                      offsets.size(),
                      updates.rows.data(),
                      repeats ? 0 : updates.row,
                      static_cast<size_t>(updates.row)};
  if (!sums_halves(updates.kind, updates.reduction)) {
    reduce(tile);
    return updates.check();
  }
  std::vector<float> floats =
      updates.kind == Kind::kFloat16 ? to_floats<Half>(updates) : to_floats<BFloat16>(updates);
  tile.table = reinterpret_cast<std::byte*>(floats.data());
  tile.scale *= 2;
  reduce(tile);
  round_floats(floats, &updates);
  updates.check();
}

void check_runs(ReduceRunsFn reduce, Updates updates) {
  std::ranges::sort(updates.slots);
  std::vector<Run> runs;
  std::vector<int64_t> row_offsets;
  for (size_t i = 0; i < updates.slots.size(); ++i) {
    const bool same = i > 0 && updates.slots[i] == updates.slots[i - 1];
    if (!same) runs.push_back({updates.slots[i] * updates.row, 0});
    ++runs.back().n;
    row_offsets.push_back(updates.positions[i] * updates.row);
    updates.expect(updates.slots[i], updates.positions[i]);
  }
  reduce({updates.table.data(), runs.data(), runs.size(), updates.rows.data(), row_offsets.data(),
          row_offsets.size(), static_cast<size_t>(updates.row)});
  updates.check();
}

void check_kind(const Kernels& kernels, Random& random, Kind kind) {
  for (Reduction reduction : kReductions) {
    INFO(std::string(name(kind)), " ", std::string(name(reduction)));
    const ReduceKernels reduce = kernels.reduce(kind, reduction);
    const ReduceRunsFn reduce_runs = kernels.reduce_runs(kind, reduction);
    const bool by_rows = reduce.rows, by_runs = reduce_runs;
    REQUIRE(by_rows == (is_reducible(kind, reduction) && reduction != Reduction::kNone));
    REQUIRE(by_runs == sums_halves(kind, reduction));
    for (int64_t length : kElements) {
      for (int64_t tuples : kTuples) {
        const auto updates = [&] { return Updates(random, kind, reduction, tuples, length); };
        if (by_rows) check_rows(reduce.rows, random, updates());
        if (by_rows && length == 1) {
          check_rows(reduce.strided, random, updates());
          for (const int64_t n : {tuples, kManyTuples}) {
            Updates packed(random, kind, reduction, n, length);
            packed.scale = packed.size;
            check_rows(reduce.elements, random, std::move(packed));
          }
          if (tuples == 0) continue;
          Updates one = updates();
          one.scale = one.size;
          check_rows(reduce.elements, random, std::move(one), true);
          Updates repeated = updates();
          repeated.scale = repeated.size;
          std::ranges::fill(repeated.slots, repeated.slots[0]);
          check_rows(reduce.repeated, random, std::move(repeated));
        }
        if (by_runs) check_runs(reduce_runs, updates());
      }
    }
  }
}

}  // namespace

TEST_CASE("reductions combine row after row") {
  on_every_target([](const Kernels& kernels) {
    Random random(51);
    for (Kind kind : kKinds) check_kind(kernels, random, kind);
  });
}

TEST_CASE("kinds that are only moved have no reduction") {
  on_every_target([](const Kernels& kernels) {
    Random random(52);
    for (int kind = static_cast<int>(Kind::kBytes); kind <= static_cast<int>(Kind::kOther);
         ++kind) {
      check_kind(kernels, random, static_cast<Kind>(kind));
    }
  });
}

}  // namespace gathernd::test
