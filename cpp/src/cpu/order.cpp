#include "cpu/order.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace gathernd {
namespace {

constexpr int kBits = 11;
constexpr size_t kDigits = size_t{1} << kBits;

// Stable: by the digit of the offset that starts at bit `shift`.
template <class O>
void sort_by_digit(std::span<const Destination<O>> from, int shift, Destination<O>* to) {
  const auto digit = [&](const Destination<O>& d) { return (d.offset >> shift) % kDigits; };
  std::array<size_t, kDigits> ends{};
  for (const auto& d : from) ++ends[digit(d)];
  size_t begin = 0;
  for (size_t& end : ends) begin += std::exchange(end, begin);
  for (const auto& d : from) to[ends[digit(d)]++] = d;
}

}  // namespace

template <class O>
Order<O>::Order(std::span<const O> offsets, int shift)
    : shift_(shift), capacity_(offsets.size()), tuples_(capacity_) {
  O used = 0;
  for (size_t t = 0; t < offsets.size(); ++t) {
    if (offsets[t] == kNoSlice<O>) continue;
    tuples_.data()[n_++] = {offsets[t], static_cast<O>(t)};
    used |= offsets[t];
  }
  const Buffer<Destination<O>> other(n_);
  Destination<O>*from = tuples_.data(), *to = other.data();
  for (; shift < static_cast<int>(8 * sizeof(O)) && used >> shift != 0; shift += kBits) {
    sort_by_digit<O>({from, n_}, shift, to);
    std::swap(from, to);
  }
  if (from != tuples_.data()) std::copy_n(from, n_, tuples_.data());
}

template <class O>
size_t Order<O>::begin_of(int64_t part, int64_t parts) const {
  const size_t share = n_ / static_cast<size_t>(parts), rest = n_ % static_cast<size_t>(parts);
  const auto p = static_cast<size_t>(part);
  const size_t at = share * p + std::min(p, rest);
  if (at == n_) return n_;
  const auto group = [&](const Destination<O>& d) { return d.offset >> shift_; };
  const auto first = std::ranges::lower_bound(tuples(), group(tuples()[at]), {}, group);
  return static_cast<size_t>(first - tuples().begin());
}

template <class O>
std::span<const Destination<O>> Order<O>::part(int64_t part, int64_t parts) const {
  const size_t begin = begin_of(part, parts);
  return tuples().subspan(begin, begin_of(part + 1, parts) - begin);
}

template <class O>
bool Order<O>::is_unique() const {
  // Who came last to each offset of a group; what the groups before left there is below `begin`.
  std::vector<size_t> last(size_t{1} << shift_, 0);
  size_t begin = 0;
  for (size_t i = 0; i < n_; ++i) {
    const O offset = tuples()[i].offset;
    if (offset >> shift_ != tuples()[begin].offset >> shift_) begin = i;
    size_t& seen = last[offset % last.size()];
    if (seen > begin) return false;
    seen = i + 1;
  }
  return true;
}

template <class O>
bool find_duplicate(const Order<O>& order, int64_t* first, int64_t* second) {
  const auto sorted = order.tuples();
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

template class Order<uint32_t>;
template class Order<uint64_t>;
template bool find_duplicate(const Order<uint32_t>&, int64_t*, int64_t*);
template bool find_duplicate(const Order<uint64_t>&, int64_t*, int64_t*);

}  // namespace gathernd
