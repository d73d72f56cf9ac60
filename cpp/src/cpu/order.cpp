#include "cpu/order.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace gathernd {
namespace {

constexpr int kBits = 11;
constexpr size_t kDigits = size_t{1} << kBits;

template <class O>
struct Tuple {
  O offset, position;
};

// Stable: by the digit of the offset that starts at bit `shift`.
template <class O>
void sort_by_digit(std::span<const Tuple<O>> from, int shift, Tuple<O>* to) {
  const auto digit = [&](const Tuple<O>& tuple) { return (tuple.offset >> shift) % kDigits; };
  std::array<size_t, kDigits> ends{};
  for (const auto& tuple : from) ++ends[digit(tuple)];
  size_t begin = 0;
  for (size_t& end : ends) begin += std::exchange(end, begin);
  for (const auto& tuple : from) to[ends[digit(tuple)]++] = tuple;
}

}  // namespace

template <class O>
Order<O>::Order(std::span<const O> offsets, int shift)
    : shift_(shift), capacity_(offsets.size()), offsets_(capacity_), positions_(capacity_) {
  const Buffer<Tuple<O>> tuples(capacity_), others(capacity_);
  Tuple<O>*from = tuples.data(), *to = others.data();
  O used = 0;
  for (size_t t = 0; t < offsets.size(); ++t) {
    if (offsets[t] == kNoSlice<O>) continue;
    from[n_++] = {offsets[t], static_cast<O>(t)};
    used |= offsets[t];
  }
  for (; shift < static_cast<int>(8 * sizeof(O)) && used >> shift != 0; shift += kBits) {
    sort_by_digit<O>({from, n_}, shift, to);
    std::swap(from, to);
  }
  for (size_t i = 0; i < n_; ++i) {
    offsets_.data()[i] = from[i].offset;
    positions_.data()[i] = from[i].position;
  }
}

template <class O>
size_t Order<O>::begin_of(int64_t part, int64_t parts) const {
  const size_t share = n_ / static_cast<size_t>(parts), rest = n_ % static_cast<size_t>(parts);
  const auto p = static_cast<size_t>(part);
  const size_t at = share * p + std::min(p, rest);
  if (at == n_) return n_;
  const std::span<const O> offsets(offsets_.data(), n_);
  const auto group = [&](O offset) { return offset >> shift_; };
  const auto first = std::ranges::lower_bound(offsets, group(offsets[at]), {}, group);
  return static_cast<size_t>(first - offsets.begin());
}

template <class O>
OrderedTuples<O> Order<O>::part(int64_t part, int64_t parts) const {
  const size_t begin = begin_of(part, parts);
  return tuples().range(begin, begin_of(part + 1, parts) - begin);
}

template <class O>
bool Order<O>::is_unique() const {
  // Who came last to each offset of a group; what the groups before left there is below `begin`.
  std::vector<size_t> last(size_t{1} << shift_, 0);
  const O* offsets = offsets_.data();
  size_t begin = 0;
  for (size_t i = 0; i < n_; ++i) {
    if (offsets[i] >> shift_ != offsets[begin] >> shift_) begin = i;
    size_t& seen = last[offsets[i] % last.size()];
    if (seen > begin) return false;
    seen = i + 1;
  }
  return true;
}

template <class O>
bool find_duplicate(const Order<O>& order, int64_t* first, int64_t* second) {
  const OrderedTuples<O> sorted = order.tuples();
  *second = INT64_MAX;
  for (size_t i = 1; i < sorted.n; ++i) {
    const auto position = static_cast<int64_t>(sorted.positions[i]);
    if (sorted.offsets[i] == sorted.offsets[i - 1] && position < *second) {
      *first = static_cast<int64_t>(sorted.positions[i - 1]);
      *second = position;
    }
  }
  return *second != INT64_MAX;
}

template class Order<uint32_t>;
template class Order<uint64_t>;
template bool find_duplicate(const Order<uint32_t>&, int64_t*, int64_t*);
template bool find_duplicate(const Order<uint64_t>&, int64_t*, int64_t*);

}  // namespace gathernd
