// The kernels that move rows and pick tuples: each target against a plain loop, rows of all sizes,
// misaligned, in guarded memory.
#include <algorithm>
#include <vector>

#include "support.hpp"

namespace gathernd::test {
namespace {

constexpr size_t kLongRows[] = {64, 65, 100, 1000};
constexpr size_t kMostShort = 40;
constexpr size_t kMany = 200;  // tuples: more than are fetched ahead

// One tile: offsets into a table of `kSlots` rows that may overlap, and rows with gaps; or both
// packed.
template <class O>
struct Tile {
  static constexpr int64_t kSlots = 50;

  Tile(Random& random, size_t tuples, size_t row_bytes)
      : bytes(row_bytes),
        n(tuples),
        packed(random.one_in(3)),
        scale(packed ? static_cast<int64_t>(row_bytes) : random(1, 40)),
        stride(static_cast<int64_t>(row_bytes) + (packed ? 0 : random(0, 2) * random(0, 9))),
        table(static_cast<size_t>((kSlots - 1) * scale) + bytes, static_cast<size_t>(random(0, 9))),
        rows(n == 0 ? 0 : (n - 1) * static_cast<size_t>(stride) + bytes,
             static_cast<size_t>(random(0, 9))) {
    random.fill(table);
    random.fill(rows);
    for (size_t t = 0; t < n; ++t) {
      offsets.push_back(static_cast<O>(random(0, kSlots - 1)));
      positions.push_back(static_cast<uint32_t>(random(0, static_cast<int64_t>(n) - 1)));
    }
    backwards = !packed && random.one_in(4);
  }

  std::byte* row(size_t t) {
    return rows.data() + static_cast<int64_t>(backwards ? n - 1 - t : t) * stride;
  }
  int64_t row_stride() const { return backwards ? -stride : stride; }
  size_t table_at(size_t i) const {
    return static_cast<size_t>(offsets[i]) * static_cast<size_t>(scale);
  }
  bool guards_intact() const { return table.guards_intact() && rows.guards_intact(); }

  size_t bytes, n;
  bool packed;
  int64_t scale, stride;
  bool backwards;
  GuardedBuffer table, rows;
  std::vector<O> offsets;
  std::vector<uint32_t> positions;
};

template <class O>
void check_gather(const KernelsOf<O>& kernels, Random& random, size_t n, size_t bytes) {
  Tile<O> tile(random, n, bytes);
  const std::vector<std::byte> table = tile.table.bytes();
  std::vector<std::byte> expected = tile.rows.bytes();
  for (size_t t = 0; t < n; ++t) {
    std::copy_n(table.begin() + static_cast<int64_t>(tile.table_at(t)), bytes,
                expected.begin() + (tile.row(t) - tile.rows.data()));
  }
  std::byte* first = n == 0 ? tile.rows.data() : tile.row(0);
  kernels.gather({tile.table.data(), tile.scale, random.one_in(2), tile.offsets.data(), n, first,
                  tile.row_stride(), bytes, random.one_in(2)});
  REQUIRE(tile.rows.bytes() == expected);
  REQUIRE(tile.table.bytes() == table);
  REQUIRE(tile.guards_intact());
}

template <class O>
void check_scatter(const KernelsOf<O>& kernels, Random& random, size_t n, size_t bytes) {
  Tile<O> tile(random, n, bytes);
  const std::vector<std::byte> rows = tile.rows.bytes();
  std::vector<std::byte> expected = tile.table.bytes();
  const uint32_t* const positions = random.one_in(2) ? tile.positions.data() : nullptr;
  for (size_t i = 0; i < n; ++i) {
    std::copy_n(tile.row(positions != nullptr ? positions[i] : i), bytes,
                expected.begin() + static_cast<int64_t>(tile.table_at(i)));
  }
  const std::byte* first = n == 0 ? tile.rows.data() : tile.row(0);
  const auto fetch = static_cast<Fetch>(random(0, 2));
  kernels.scatter({tile.table.data(), tile.scale, fetch, tile.offsets.data(), positions, n, first,
                   tile.row_stride(), bytes, random.one_in(2)});
  REQUIRE(tile.table.bytes() == expected);
  REQUIRE(tile.rows.bytes() == rows);
  REQUIRE(tile.guards_intact());
}

template <class O>
void check_moves(const KernelsOf<O>& kernels, Random& random, size_t bytes) {
  INFO("rows of ", bytes, " bytes, offsets of ", sizeof(O));
  for (size_t n = 0; n <= kMostTuples; ++n) {
    check_gather(kernels, random, n, bytes);
    check_scatter(kernels, random, n, bytes);
  }
  check_gather(kernels, random, kMany, bytes);
  check_scatter(kernels, random, kMany, bytes);
}

// Offsets near the limits, holes among them; the outputs have room for all.
template <class O>
void check_partition(const KernelsOf<O>& kernels, Random& random, size_t n) {
  const O base = random.one_in(2) ? 0 : kNoSlice<O> - 40;
  const auto low = static_cast<O>(base + static_cast<O>(random(0, 20)));
  const auto high = static_cast<O>(low + static_cast<O>(random(0, 19)));
  std::vector<O> offsets, kept;
  std::vector<uint32_t> positions;
  for (size_t t = 0; t < n; ++t) {
    const O offset = random.one_in(5) ? kNoSlice<O> : base + static_cast<O>(random(0, 39));
    offsets.push_back(offset);
    if (offset < low || offset >= high) continue;
    kept.push_back(offset);
    positions.push_back(static_cast<uint32_t>(t));
  }
  GuardedBuffer kept_memory(n * sizeof(O)), positions_memory(n * 4);
  auto* found_kept = reinterpret_cast<O*>(kept_memory.data());
  auto* found_positions = reinterpret_cast<uint32_t*>(positions_memory.data());
  size_t found = kernels.partition(offsets.data(), n, low, high, found_kept, found_positions);
  REQUIRE(std::vector(found_kept, found_kept + found) == kept);
  REQUIRE(std::vector(found_positions, found_positions + found) == positions);
  REQUIRE(kept_memory.guards_intact());
  REQUIRE(positions_memory.guards_intact());
  for (const size_t bytes : {1u, 2u, 4u, 8u}) {
    GuardedBuffer words(n * bytes, static_cast<size_t>(random(0, 9))), words_memory(n * bytes);
    random.fill(words);
    std::vector<std::byte> expected;
    for (const uint32_t position : positions) {
      const std::byte* const word = words.data() + position * bytes;
      expected.insert(expected.end(), word, word + bytes);
    }
    found = kernels.partition_words(offsets.data(), n, low, high, words.data(), bytes, found_kept,
                                    words_memory.data());
    REQUIRE(std::vector(found_kept, found_kept + found) == kept);
    REQUIRE(std::vector(words_memory.data(), words_memory.data() + found * bytes) == expected);
    REQUIRE(kept_memory.guards_intact());
    REQUIRE(words_memory.guards_intact());
  }
}

}  // namespace

TEST_CASE("gather and scatter copy rows of every size") {
  on_every_target([](const Kernels& kernels) {
    Random random(41);
    for (size_t bytes = 1; bytes <= kMostShort; ++bytes) {
      check_moves(kernels.move.narrow, random, bytes);
      check_moves(kernels.move.wide, random, bytes);
    }
    for (size_t bytes : kLongRows) {
      check_moves(kernels.move.narrow, random, bytes);
      check_moves(kernels.move.wide, random, bytes);
    }
  });
}

TEST_CASE("stream copies any bytes to any place") {
  on_every_target([](const Kernels& kernels) {
    Random random(43);
    for (int64_t n = 0; n <= 400; ++n) {
      const int64_t before = random(0, 130), from_before = random(0, 70);
      GuardedBuffer to(static_cast<size_t>(before + n)), from(static_cast<size_t>(from_before + n));
      random.fill(to);
      random.fill(from);
      std::vector<std::byte> expected = to.bytes();
      const std::vector<std::byte> source = from.bytes();
      std::copy_n(source.begin() + from_before, n, expected.begin() + before);
      kernels.move.stream(to.data() + before, from.data() + from_before, static_cast<size_t>(n));
      REQUIRE(to.bytes() == expected);
      REQUIRE(to.guards_intact());
    }
  });
}

TEST_CASE("partitions keep the offsets in a range with their places or words, in order") {
  on_every_target([](const Kernels& kernels) {
    Random random(42);
    for (int repeat = 0; repeat < 20; ++repeat) {
      for (size_t n = 0; n <= kMostTuples; ++n) {
        check_partition(kernels.move.narrow, random, n);
        check_partition(kernels.move.wide, random, n);
      }
    }
    check_partition(kernels.move.narrow, random, kTile);
    check_partition(kernels.move.wide, random, kTile);
  });
}

TEST_CASE("copies of any length, however the two lie in their pages") {
  on_every_target([](const Kernels& kernels) {
    Random random(17);
    constexpr size_t kPage = 4096, kMost = 2 * kPage + 300;
    for (const size_t shift : {0u, 1u, 16u, 64u, 4080u}) {
      GuardedBuffer from(kMost), to(kMost, shift);
      random.fill(from);
      const auto check = [&](size_t n) {
        const size_t begin = kMost - n;
        random.fill(to);
        std::vector<std::byte> expected = to.bytes();
        std::copy_n(from.data() + begin, n, expected.begin() + static_cast<ptrdiff_t>(begin));
        kernels.move.copy(to.data() + begin, from.data() + begin, n);
        REQUIRE(to.bytes() == expected);
      };
      for (size_t n = 0; n <= 300; n += 1 + n / 64) check(n);
      for (const size_t size : {1024u, 2048u, 4096u, 8192u}) {
        for (const size_t n : {size - 1, size, size + 1, size + 130, size + 300}) check(n);
      }
      REQUIRE(from.guards_intact());
      REQUIRE(to.guards_intact());
    }
  });
}

}  // namespace gathernd::test
