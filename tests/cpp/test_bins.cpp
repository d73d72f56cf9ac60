// Minima and maxima into few bins: the kernels, and whole calls, against plain loops. Every bit
// counts, also that of a NaN.
#include <vector>

#include "cpu/scatter/strategy.hpp"
#include "elements.hpp"

namespace gathernd::test {
namespace {

constexpr Kind kBinKinds[] = {Kind::kInt32, Kind::kUInt32, Kind::kFloat32};
constexpr Reduction kExtremes[] = {Reduction::kMin, Reduction::kMax};
constexpr int64_t kBytes = 4;  // of an element
constexpr int64_t kTuples[] = {0, 1, 3, 4, 8, 15, 16, 17, 33, 200, kTile};
constexpr int64_t kManyTuples = 7 * kTile + 5;

// Zeros, infinities, the least and the greatest integers and floats, NaNs of both signs.
constexpr uint32_t kSpecial[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fffffff,
                                 0xffffffff, 0x7f7fffff, 0xff7fffff, 0x7f800001, 0xff800001,
                                 0x7fc12345, 0xffc54321, 1,          0x80000001};

// Mostly two numbers, so that few updates change a bin; one in `rare` is special, or any bits.
void fill(Random& random, Kind kind, int64_t rare, GuardedBuffer& elements) {
  const float floats[] = {1, -0.0f};
  const uint32_t integers[] = {1, 2};
  for (size_t at = 0; at < elements.size(); at += kBytes) {
    const int64_t which = random(0, 1);
    uint32_t bits = integers[which];
    if (kind == Kind::kFloat32) std::memcpy(&bits, &floats[which], sizeof bits);
    if (random.one_in(rare)) {
      bits = random.one_in(3) ? static_cast<uint32_t>(random.bits())
                              : kSpecial[random(0, std::size(kSpecial) - 1)];
    }
    std::memcpy(elements.data() + at, &bits, sizeof bits);
  }
}

struct Updates {
  Updates(Random& random, Kind kind, Reduction reduction, int64_t bins, int64_t tuples,
          bool repeats)
      : stride(repeats ? 0 : kBytes),
        table(static_cast<size_t>(bins * kBytes)),
        rows(static_cast<size_t>((repeats ? 1 : tuples) * kBytes)) {
    fill(random, kind, random.one_of<int64_t>({1, 9, 1000}), table);
    fill(random, kind, random.one_of<int64_t>({1, 9, 100, 1000}), rows);
    before = table.bytes();
    Totals totals(kind, kBytes, reduction, before);
    // The last bin is addressed in some calls only.
    const int64_t last = bins > 1 ? bins - random(1, 2) : 0;
    for (int64_t t = 0; t < tuples; ++t) {
      offsets.push_back(random(0, last));
      totals.update(offsets.back(), rows.data() + t * stride);
    }
    expected = totals.elements();
  }

  bool matches() const {
    return table.bytes() == expected && table.guards_intact() && rows.guards_intact();
  }

  int64_t stride;
  GuardedBuffer table, rows;
  std::vector<std::byte> before, expected;
  std::vector<int64_t> offsets;
};

// f(kind, reduction, whether one update is for all tuples)
template <class F>
void for_each_case(F f) {
  for (const Kind kind : kBinKinds) {
    for (const Reduction reduction : kExtremes) {
      for (const bool repeats : {false, true}) {
        INFO(std::string(name(kind)), " ", std::string(name(reduction)), " repeats ", repeats);
        f(kind, reduction, repeats);
      }
    }
  }
}

void check_kernel(const ReduceKernels& reduce, Updates updates) {
  const std::vector<uint32_t> offsets(updates.offsets.begin(), updates.offsets.end());
  ScatterTile<uint32_t> tile{updates.table.data(), kBytes,         Fetch::kNothing,
                             offsets.data(),       nullptr,        offsets.size(),
                             updates.rows.data(),  updates.stride, kBytes};
  const size_t done = reduce.bins(tile, updates.table.size() / kBytes);
  REQUIRE(done <= offsets.size());
  reduce.elements(tile.range(done, offsets.size() - done));
  REQUIRE(updates.matches());
}

void check_call(Updates updates, Reduction reduction, Kind kind) {
  const auto bins = static_cast<int64_t>(updates.table.size()) / kBytes;
  const auto tuples = static_cast<int64_t>(updates.offsets.size());
  const int64_t shape[] = {bins}, indices_shape[] = {tuples, 1}, rows_shape[] = {tuples};
  const int64_t packed[] = {kBytes}, index_strides[] = {8, 8}, row_strides[] = {updates.stride};
  const DType dtype{kind, kBytes};
  const Tensor table{updates.table.data(), dtype, shape, packed};
  const Tensor indices{reinterpret_cast<std::byte*>(updates.offsets.data()),
                       {Kind::kInt64, 8},
                       indices_shape,
                       index_strides};
  scatter_nd(table, indices, {updates.rows.data(), dtype, rows_shape, row_strides}, table,
             {.reduction = reduction});
  REQUIRE(updates.matches());
}

}  // namespace

TEST_CASE("kernels reduce into few bins") {
  on_every_target([](const Kernels& kernels) {
    Random random(53);
    for_each_case([&](Kind kind, Reduction reduction, bool repeats) {
      const ReduceKernels reduce = kernels.reduce(kind, reduction);
      for (size_t bins = 1; bins <= reduce.most_bins; ++bins) {
        for (const int64_t tuples : kTuples) {
          if (repeats && tuples == 0) continue;
          CAPTURE(bins);
          CAPTURE(tuples);
          check_kernel(reduce, Updates(random, kind, reduction, static_cast<int64_t>(bins), tuples,
                                       repeats));
        }
      }
    });
  });
}

TEST_CASE("kernels that reduce into few bins skip updates that change none") {
  on_every_target([](const Kernels& kernels) {
    for_each_case([&](Kind kind, Reduction reduction, bool) {
      const ReduceKernels reduce = kernels.reduce(kind, reduction);
      if (reduce.bins == nullptr) return;
      const std::vector<uint32_t> offsets(kTile), zeros(kTile);
      uint32_t bin = 0;
      CHECK(reduce.bins(
                {reinterpret_cast<std::byte*>(&bin), kBytes, Fetch::kNothing, offsets.data(),
                 nullptr, kTile, reinterpret_cast<const std::byte*>(zeros.data()), kBytes, kBytes},
                1) == kTile);
      CHECK(bin == 0);
    });
  });
}

TEST_CASE("scatters into few bins") {
  force_scatter("private tables");
  for (const Target& target : targets()) {
    for (const int threads : {1, 2, 3}) {
      INFO("target ", std::string(target.name), " threads ", threads);
      const Configured configured(target.name, threads, 1);
      Random random(54);
      for_each_case([&](Kind kind, Reduction reduction, bool repeats) {
        const auto most = static_cast<int64_t>(kernels().reduce(kind, reduction).most_bins);
        for (int64_t bins = 1; bins <= most + 1; ++bins) {
          CAPTURE(bins);
          const int64_t tuples = random.one_of<int64_t>({1, 100, kManyTuples});
          check_call(Updates(random, kind, reduction, bins, tuples, repeats), reduction, kind);
        }
      });
    }
  }
  force_scatter("");
}

}  // namespace gathernd::test
