#include "cpu/order.hpp"

#include <array>
#include <utility>

namespace gathernd {

template <class O>
std::vector<Destination<O>> sort_by_destination(const O* offsets, int64_t n) {
  constexpr int kBits = 11;
  constexpr size_t kBuckets = size_t{1} << kBits;
  std::vector<Destination<O>> tuples;
  tuples.reserve(static_cast<size_t>(n));
  O used = 0;
  for (int64_t t = 0; t < n; ++t) {
    if (offsets[t] == kNoSlice<O>) continue;
    tuples.push_back({offsets[t], static_cast<O>(t)});
    used |= offsets[t];
  }
  std::vector<Destination<O>> other(tuples.size());
  for (int shift = 0; shift < static_cast<int>(8 * sizeof(O)) && used >> shift != 0;
       shift += kBits) {
    const auto digit = [&](const Destination<O>& d) { return (d.offset >> shift) % kBuckets; };
    std::array<size_t, kBuckets> ends{};
    for (const auto& d : tuples) ++ends[digit(d)];
    size_t begin = 0;
    for (size_t& end : ends) begin += std::exchange(end, begin);
    for (const auto& d : tuples) other[ends[digit(d)]++] = d;
    tuples.swap(other);
  }
  return tuples;
}

template <class O>
bool find_duplicate(std::span<const Destination<O>> sorted, int64_t* first, int64_t* second) {
  *second = INT64_MAX;
  for (size_t i = 1; i < sorted.size(); ++i) {
    const bool same = sorted[i].offset == sorted[i - 1].offset;
    if (same && static_cast<int64_t>(sorted[i].position) < *second) {
      *first = static_cast<int64_t>(sorted[i - 1].position);
      *second = static_cast<int64_t>(sorted[i].position);
    }
  }
  return *second != INT64_MAX;
}

template std::vector<Destination<uint32_t>> sort_by_destination(const uint32_t*, int64_t);
template std::vector<Destination<uint64_t>> sort_by_destination(const uint64_t*, int64_t);
template bool find_duplicate(std::span<const Destination<uint32_t>>, int64_t*, int64_t*);
template bool find_duplicate(std::span<const Destination<uint64_t>>, int64_t*, int64_t*);

}  // namespace gathernd
