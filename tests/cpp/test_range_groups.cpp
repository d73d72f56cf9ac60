// Tuples grouped range by range: each group has its tuples, in order, and what is kept of them.
#include "cpu/order/range_groups.hpp"

#include <vector>

#include "support.hpp"

namespace gathernd::test {
namespace {

struct Kept {
  int64_t tuple;
};

// What the groups should hold: the tuples of offsets that share their upper bits, in C order.
template <class O>
std::vector<int64_t> members(const std::vector<O>& offsets, int shift, int64_t group) {
  std::vector<int64_t> tuples;
  for (size_t t = 0; t < offsets.size(); ++t) {
    const bool hole = offsets[t] == kNoSlice<O>;
    if (!hole && static_cast<int64_t>(offsets[t] >> shift) == group) {
      tuples.push_back(static_cast<int64_t>(t));
    }
  }
  return tuples;
}

template <class O>
void check_groups(const std::vector<O>& offsets, uint64_t span, int shift, bool backwards) {
  const auto offsets_of = [&](int64_t first, int64_t, O*) { return offsets.data() + first; };
  const RangeGroups<O, Kept> groups(std::ssize(offsets), offsets_of, span, shift, backwards,
                                    [](int64_t t) { return Kept{t}; });
  REQUIRE(groups.groups() == static_cast<int64_t>((span - 1) >> shift) + 1);
  for (int64_t group = 0; group < groups.groups(); ++group) {
    INFO("group ", group);
    std::vector<int64_t> expected = members(offsets, shift, group);
    if (backwards) std::ranges::reverse(expected);
    std::vector<int64_t> found;
    bool are_offsets_kept = true;
    groups.for_each_range(group, [&](auto tuples) {
      for (const auto& tuple : tuples) {
        found.push_back(tuple.kept.tuple);
        are_offsets_kept &= tuple.offset == offsets.at(static_cast<size_t>(tuple.kept.tuple));
      }
    });
    REQUIRE(found == expected);
    REQUIRE(are_offsets_kept);
  }
}

template <class O>
void check_all(size_t n) {
  Random random(83);
  for (const int64_t span : {1, 5, 100, 70000}) {
    std::vector<O> offsets;
    for (size_t t = 0; t < n; ++t) {
      offsets.push_back(random.one_in(7) ? kNoSlice<O> : static_cast<O>(random(0, span - 1)));
    }
    for (const int shift : {0, 3, 11, 17}) {
      if (span >> shift > 100) continue;
      for (const bool backwards : {false, true}) {
        INFO(n, " tuples, span ", span, ", shift ", shift, ", backwards ", backwards);
        check_groups(offsets, static_cast<uint64_t>(span), shift, backwards);
      }
    }
  }
}

}  // namespace

TEST_CASE("range groups have their tuples in order") {
  for (const int threads : {1, 2, 7}) {
    for (const int64_t grain : {0, 1}) {
      INFO(threads, " threads, grain ", grain);
      const Configured configured(cpu_target(), threads, grain);
      for (const size_t n : {1u, 2u, 63u, 1024u, 5000u}) {
        check_all<uint32_t>(n);
        check_all<uint64_t>(n);
      }
    }
  }
}

}  // namespace gathernd::test
