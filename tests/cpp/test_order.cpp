// Tuples grouped by destination, and the last one of each: against a plain sort, for groups of all
// sizes.
#include "cpu/order/order.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "cpu/order/repeats.hpp"
#include "cpu/scatter/winners.hpp"
#include "support.hpp"

namespace gathernd::test {
namespace {

template <class O>
struct Tuple {
  O offset, position;
};

template <class O>
struct Tuples {
  Tuples(Random& random, size_t n, int64_t slices, O base) {
    for (size_t t = 0; t < n; ++t) {
      const bool hole = random.one_in(6);
      offsets.push_back(hole ? kNoSlice<O> : base + static_cast<O>(random(0, slices - 1)));
      if (!hole) expected.push_back({offsets.back(), static_cast<O>(t)});
    }
  }

  void group(int shift) {
    std::ranges::sort(expected, {},
                      [&](const auto& d) { return std::pair(d.offset >> shift, d.position); });
  }

  std::vector<O> offsets;
  std::vector<Tuple<O>> expected;
};

template <class O>
bool same(const OrderedTuples<O>& found, const std::vector<Tuple<O>>& expected) {
  if (found.n != expected.size()) return false;
  for (size_t i = 0; i < found.n; ++i) {
    if (found.offsets[i] != expected[i].offset || found.positions[i] != expected[i].position) {
      return false;
    }
  }
  return true;
}

// The parts follow each other, cover all tuples and share no group.
template <class O>
void check_parts(const Order<O>& order, int shift, int64_t parts) {
  const OrderedTuples<O> all = order.tuples();
  size_t next = 0;
  for (int64_t p = 0; p < parts; ++p) {
    const OrderedTuples<O> part = order.part(p, parts);
    REQUIRE(part.offsets == all.offsets + next);
    REQUIRE(part.positions == all.positions + next);
    if (part.n > 0 && next > 0) {
      REQUIRE((all.offsets[next - 1] >> shift) != (all.offsets[next] >> shift));
    }
    next += part.n;
  }
  REQUIRE(next == all.n);
}

template <class O>
void check_places(const Order<O>& order, const std::vector<O>& offsets) {
  std::vector<O> ranks(offsets.size());
  find_ranks<O>(order, ranks);
  const OrderedTuples<O> all = order.tuples();
  size_t found = 0;
  for (size_t t = 0; t < ranks.size(); ++t) {
    REQUIRE((ranks[t] == kNoSlice<O>) == (offsets[t] == kNoSlice<O>));
    if (ranks[t] == kNoSlice<O>) continue;
    REQUIRE(ranks[t] < all.n);
    REQUIRE(all.positions[ranks[t]] == t);
    ++found;
  }
  REQUIRE(found == all.n);
}

template <class O>
bool has_duplicate(std::vector<Tuple<O>> tuples, int64_t* first, int64_t* second) {
  std::ranges::sort(tuples, {}, &Tuple<O>::position);
  for (size_t i = 0; i < tuples.size(); ++i) {
    for (size_t j = i; j-- > 0;) {
      if (tuples[j].offset != tuples[i].offset) continue;
      *first = static_cast<int64_t>(tuples[j].position);
      *second = static_cast<int64_t>(tuples[i].position);
      return true;
    }
  }
  return false;
}

template <class O>
void check_order(Random& random, size_t n, int64_t slices, O base) {
  Tuples<O> tuples(random, n, slices, base);
  int64_t first = 0, second = 0, found_first = 0, found_second = 0;
  const bool duplicate = has_duplicate(tuples.expected, &first, &second);
  for (int shift : {0, 1, 3, 10, 14}) {
    INFO(n, " tuples, ", slices, " slices, groups of 2^", shift);
    tuples.group(shift);
    const Order<O> order(tuples.offsets, base + static_cast<uint64_t>(slices), shift);
    REQUIRE(same(order.tuples(), tuples.expected));
    REQUIRE(order.is_unique() == !duplicate);
    REQUIRE(order.bytes() >= n * 2 * sizeof(O));
    for (int64_t parts : {1, 2, 3, 7, 100}) check_parts(order, shift, parts);
    check_places(order, tuples.offsets);
    if (shift > 0) continue;
    REQUIRE(find_duplicate(order, &found_first, &found_second) == duplicate);
    if (duplicate) REQUIRE(found_first == first);
    if (duplicate) REQUIRE(found_second == second);
  }
}

template <class O>
void check_orders() {
  Random random(61);
  for (int64_t slices : {1, 2, 40, 5000, 1 << 24}) {
    for (size_t n : {0u, 1u, 2u, 3u, 17u, 64u, 300u}) check_order<O>(random, n, slices, 0);
    check_order<O>(random, 200, slices, static_cast<O>(kNoSlice<O> - O{1 << 24}));
  }
}

template <class O>
void check_winners(Random& random, size_t n, int64_t slices) {
  INFO(n, " tuples, ", slices, " slices");
  Tuples<O> tuples(random, n, slices, 0);
  tuples.group(0);
  std::vector<Tuple<O>> last;
  for (const Tuple<O>& tuple : tuples.expected) {
    if (!last.empty() && last.back().offset == tuple.offset) last.pop_back();
    last.push_back(tuple);
  }
  Plan plan;
  plan.tuples = static_cast<int64_t>(n);
  plan.span = static_cast<uint64_t>(slices);
  const KeptWinners<O> winners(plan, tuples.offsets);
  REQUIRE(same(winners.tuples(), last));
  REQUIRE(winners.bytes() == 2 * static_cast<size_t>(slices) * sizeof(O));
}

}  // namespace

TEST_CASE("winners are the last tuples of their slices") {
  Random random(62);
  for (int64_t slices : {1, 2, 40, 5000}) {
    for (size_t n : {0u, 1u, 2u, 3u, 17u, 64u, 300u}) {
      check_winners<uint32_t>(random, n, slices);
      check_winners<uint64_t>(random, n, slices);
    }
  }
}

template <class O>
void check_repeats(Random& random, size_t n, int64_t slices) {
  INFO(n, " tuples, ", slices, " slices");
  std::vector<O> offsets;
  std::set<O> seen;
  bool repeated = false;
  const bool has_holes = random.one_in(2);
  for (size_t t = 0; t < n; ++t) {
    const bool hole = has_holes && random.one_in(6);
    offsets.push_back(hole ? kNoSlice<O> : static_cast<O>(random(0, slices - 1)));
    if (!hole) repeated |= !seen.insert(offsets.back()).second;
  }
  CHECK(has_repeats<O>(offsets, static_cast<uint64_t>(slices)) == repeated);
}

TEST_CASE("repeats are found in each thread's tuples and between them") {
  Random random(63);
  for (int threads : {1, 2, 7}) {
    const Configured configured(cpu_target(), threads, 1);
    for (int64_t slices : {1, 63, 64, 65, 4000, 70000}) {
      for (size_t n : {0u, 1u, 2u, 17u, 60u, 300u}) {
        for (int trial = 0; trial < 8; ++trial) {
          check_repeats<uint32_t>(random, n, slices);
          check_repeats<uint64_t>(random, n, slices);
        }
      }
    }
  }
}

TEST_CASE("an order groups tuples by destination") {
  for (int threads : {1, 2, 7}) {
    INFO(threads, " threads");
    const Configured configured(cpu_target(), threads, 1);
    check_orders<uint32_t>();
    check_orders<uint64_t>();
  }
}

}  // namespace gathernd::test
