#include "cpu/order/order.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "runtime/parallel_for.hpp"
#include "runtime/settings.hpp"

namespace gathernd {
namespace {

// Where a pass writes its tuples.
template <class O>
struct Columns {
  O *offsets, *positions;
};

// One stable pass of a radix sort, on all threads: by `bits` bits of the offsets, from bit `shift`
// on. Without positions, tuple t is the call's tuple t. Tuples that address no slice are left out;
// returns how many remain.
template <class O>
size_t sort_by_digit(const OrderedTuples<O>& from, int shift, int bits, const Columns<O>& to) {
  const size_t digits = size_t{1} << bits;
  const auto n = static_cast<int64_t>(from.n);
  const int64_t parts = count_parts(n, grain_for(2 * sizeof(O)), num_threads());
  std::vector<size_t> ends(static_cast<size_t>(parts) * digits);
  // Calls f(t, next) for the tuples of a part. `next` belongs to the digit of the tuple.
  const auto for_each_of = [&](int64_t part, auto f) {
    size_t* const nexts = &ends[static_cast<size_t>(part) * digits];
    const auto end = static_cast<size_t>(begin_of_part(n, part + 1, parts));
    for (auto t = static_cast<size_t>(begin_of_part(n, part, parts)); t < end; ++t) {
      const O offset = from.offsets[t];
      if (offset != kNoSlice<O>) f(t, nexts[(offset >> shift) & (digits - 1)]);
    }
  };
  parallel_parts(parts, [&](int64_t p) { for_each_of(p, [](size_t, size_t& count) { ++count; }); });
  size_t begin = 0;
  for (size_t digit = 0; digit < digits; ++digit) {
    for (size_t i = digit; i < ends.size(); i += digits) begin += std::exchange(ends[i], begin);
  }
  parallel_parts(parts, [&](int64_t p) {
    for_each_of(p, [&](size_t t, size_t& next) {
      to.offsets[next] = from.offsets[t];
      to.positions[next] = from.positions != nullptr ? from.positions[t] : static_cast<O>(t);
      ++next;
    });
  });
  return begin;
}

}  // namespace

template <class O>
Order<O>::Order(std::span<const O> offsets, uint64_t span, int shift)
    : shift_(shift), capacity_(offsets.size()), offsets_(capacity_), positions_(capacity_) {
  constexpr int kMostBits = 11;  // per digit: its counts fit a core's own cache
  const auto bits = static_cast<int>(std::bit_width(span >> shift));
  const int passes = std::max(1, (bits + kMostBits - 1) / kMostBits);
  const size_t others = passes > 1 ? capacity_ : 0;
  const Buffer<O> other_offsets(others), other_positions(others);
  OrderedTuples<O> from{offsets.data(), nullptr, offsets.size()};
  for (int pass = 0, done = 0; pass < passes; ++pass) {
    const int digit = (bits - done) / (passes - pass);
    const bool here = (passes - pass) % 2 == 1;  // as in the last pass
    const Columns<O> to = here ? Columns<O>{offsets_.data(), positions_.data()}
                               : Columns<O>{other_offsets.data(), other_positions.data()};
    from = {to.offsets, to.positions, sort_by_digit(from, shift + done, digit, to)};
    done += digit;
  }
  n_ = from.n;
}

template <class O>
size_t Order<O>::begin_of(int64_t part, int64_t parts) const {
  const auto at = static_cast<size_t>(begin_of_part(static_cast<int64_t>(n_), part, parts));
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
  // The last tuple seen at each offset of a group. Earlier groups left values of at most `begin`.
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
void find_ranks(const Order<O>& order, std::span<O> ranks) {
  const OrderedTuples<O> ordered = order.tuples();
  if (ordered.n < ranks.size()) std::ranges::fill(ranks, kNoSlice<O>);
  const auto n = static_cast<int64_t>(ordered.n);
  parallel_for(n, grain_for(3 * sizeof(O)), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ranks[ordered.positions[i]] = static_cast<O>(i);
  });
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
template void find_ranks(const Order<uint32_t>&, std::span<uint32_t>);
template void find_ranks(const Order<uint64_t>&, std::span<uint64_t>);
template bool find_duplicate(const Order<uint32_t>&, int64_t*, int64_t*);
template bool find_duplicate(const Order<uint64_t>&, int64_t*, int64_t*);

}  // namespace gathernd
