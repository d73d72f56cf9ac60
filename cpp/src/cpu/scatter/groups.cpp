#include "cpu/scatter/groups.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "cpu/common/slices.hpp"
#include "cpu/common/tuning.hpp"
#include "cpu/kernels/words.hpp"
#include "cpu/order/cut_table.hpp"
#include "cpu/order/run_parts.hpp"
#include "cpu/scatter/scatter_mover.hpp"
#include "runtime/settings.hpp"

namespace gathernd {
namespace {

// The row of tuple t, if has_word_rows.
template <class T>
T load_word(const std::byte* rows, int64_t stride, int64_t t) {
  T word;
  std::memcpy(&word, rows + t * stride, sizeof word);
  return word;
}

}  // namespace

int shift_of_groups(const Plan& plan, int64_t parts) {
  const auto bits = [](uint64_t n) { return static_cast<int>(std::bit_width(n)); };
  const auto least = static_cast<uint64_t>(std::max<int64_t>(tuning().group_least / plan.scale, 1));
  return std::max(bits(least - 1), bits(plan.span - 1) - bits(4 * static_cast<uint64_t>(parts)));
}

template <class O>
bool is_skewed(const Plan& plan, std::span<const O> sample, int64_t parts, int shift) {
  std::vector<int64_t> counts((plan.span >> shift) + 1);
  for (const O offset : sample) ++counts[offset >> shift];
  return std::ranges::max(counts) > tuning().group_share * std::ssize(sample) / parts;
}

template <class O>
typename Groups<O>::Any Groups<O>::group(const Plan& plan, RangeOffsets<O> offsets_of, int shift,
                                         const std::byte* rows) {
  const bool backwards = plan.duplicates == Duplicates::kFirst;
  const auto make = [&]<class T>(T, auto of) {
    return Any(std::in_place_type<RangeGroups<O, T>>, plan.tuples, offsets_of, plan.span, shift,
               backwards, of);
  };
  if (!has_word_rows(plan, plan.slice)) {
    return make(uint32_t{}, [](int64_t t) { return static_cast<uint32_t>(t); });
  }
  const int64_t stride = plan.row_walk.stride[0];
  return with_bits(plan.slice.bytes, [&]<class T>(T word) {
    return make(word, [=](int64_t t) { return load_word<T>(rows, stride, t); });
  });
}

template <class O>
Groups<O>::Groups(const Plan& plan, RangeOffsets<O> offsets_of, int shift, const std::byte* rows)
    : plan_(plan),
      has_words_(has_word_rows(plan, plan.slice)),
      groups_(group(plan, offsets_of, shift, rows)) {}

// Runs of a group are short, so they are put together: a call of a kernel takes longer than a few
// tuples, and only within one are rows prefetched.
template <class O>
void Groups<O>::write(std::byte* table, const std::byte* rows) const {
  const ScatterMover<O> mover(plan_, table, rows, {plan_.slice});
  const auto write_group = [&]<class T>(const RangeGroups<O, T>& groups, int64_t group) {
    O offsets[kBlock<O>];
    T kept[kBlock<O>];
    size_t listed = 0;
    const auto write_listed = [&] {
      if (has_words_) {
        mover.move_packed(offsets, reinterpret_cast<const std::byte*>(kept), listed);
      } else if constexpr (std::is_same_v<T, uint32_t>) {
        mover.move_listed(0, offsets, kept, listed);
      }
      listed = 0;
    };
    groups.for_each_range(group, [&](auto tuples) {
      for (size_t at = 0; at < tuples.size();) {
        const size_t n = std::min(tuples.size() - at, std::size(offsets) - listed);
        for (size_t i = 0; i < n; ++i) {
          offsets[listed + i] = tuples[at + i].offset;
          kept[listed + i] = tuples[at + i].kept;
        }
        at += n;
        listed += n;
        if (listed == std::size(offsets)) write_listed();
      }
    });
    write_listed();
  };
  std::visit(
      [&](const auto& groups) {
        run_parts(plan_, groups.groups(), [&](int64_t g) { write_group(groups, g); });
      },
      groups_);
}

template <class O>
void write_order(const Plan& plan, const Order<O>& order, int64_t parts, std::byte* table,
                 const std::byte* rows) {
  const ScatterMover<O> mover(plan, table, rows, {plan.slice}, false);
  run_parts(plan, parts, [&](int64_t p) { mover.move(order.part(p, parts)); });
}

template <class O>
PackedOrder<O>::PackedOrder(const Plan& plan, const Order<O>& order, const O* ranks,
                            const std::byte* rows)
    : plan_(plan), order_(order), words_(order.tuples().n * static_cast<size_t>(plan.slice.bytes)) {
  const int64_t stride = plan.row_walk.stride[0];
  with_bits(plan.slice.bytes, [&]<class T>(T) {
    T* const packed = reinterpret_cast<T*>(words_.data());
    parallel_for(plan.tuples, grain_for(3 * sizeof(T)), 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        if (ranks[t] != kNoSlice<O>) packed[ranks[t]] = load_word<T>(rows, stride, t);
      }
    });
  });
}

template <class O>
void PackedOrder<O>::write(int64_t parts, std::byte* table) const {
  const ScatterMover<O> mover(plan_, table, nullptr, {plan_.slice}, false);
  run_parts(plan_, parts, [&](int64_t p) {
    const OrderedTuples<O> part = order_.part(p, parts);
    const auto before = part.offsets - order_.tuples().offsets;
    mover.move_packed(part.offsets, words_.data() + before * plan_.slice.bytes, part.n);
  });
}

template <class O>
void write_sorted(const Plan& plan, const O* offsets, int64_t parts, std::byte* table,
                  const std::byte* rows) {
  const O* const end = offsets + plan.tuples;
  const auto at = [&](int64_t p) {
    if (p == parts) return plan.tuples;
    const int64_t share = plan.tuples / parts * p;
    return std::lower_bound(offsets, end, offsets[share]) - offsets;
  };
  const ScatterMover<O> mover(plan, table, rows, {plan.slice});
  run_parts(plan, parts, [&](int64_t p) {
    const int64_t first = at(p);
    mover.move(first, at(p + 1) - first, offsets + first, 0, static_cast<O>(plan.span));
  });
}

// A group is 64 KiB of the table. If the table is small, there are two groups per thread; but none
// is so short that two threads would write to one cache line.
int shift_of_order(int64_t scale, uint64_t span) {
  const Tuning& t = tuning();
  const auto unit = static_cast<uint64_t>(scale);
  const uint64_t share = span / (2 * static_cast<uint64_t>(num_threads()));
  const uint64_t slices = std::max(std::min(static_cast<uint64_t>(t.order_group) / unit, share),
                                   static_cast<uint64_t>(t.group_least) / unit);
  return slices == 0 ? 0 : static_cast<int>(std::bit_width(slices)) - 1;
}

template bool is_skewed(const Plan&, std::span<const uint32_t>, int64_t, int);
template bool is_skewed(const Plan&, std::span<const uint64_t>, int64_t, int);
template class Groups<uint32_t>;
template class Groups<uint64_t>;
template void write_order(const Plan&, const Order<uint32_t>&, int64_t, std::byte*,
                          const std::byte*);
template void write_order(const Plan&, const Order<uint64_t>&, int64_t, std::byte*,
                          const std::byte*);
template class PackedOrder<uint32_t>;
template class PackedOrder<uint64_t>;
template void write_sorted(const Plan&, const uint32_t*, int64_t, std::byte*, const std::byte*);
template void write_sorted(const Plan&, const uint64_t*, int64_t, std::byte*, const std::byte*);

}  // namespace gathernd
