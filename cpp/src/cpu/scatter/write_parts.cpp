#include "cpu/scatter/write_parts.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "cpu/common/slices.hpp"
#include "cpu/order/cut_table.hpp"
#include "cpu/order/run_parts.hpp"
#include "cpu/scatter/scatter_mover.hpp"
#include "cpu/scatter/scatter_small.hpp"
#include "cpu/scatter/write_groups.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/settings.hpp"

namespace gathernd {
namespace {

// Each thread takes the tuples of its part of the table out of all.
template <class O>
void write_cut(const Plan& plan, const O* offsets, std::span<const O> cuts,
               const ScatterMover<O>& mover) {
  run_parts(plan, static_cast<int64_t>(cuts.size()) - 1, [&](int64_t p) {
    const auto at = static_cast<size_t>(p);
    mover.move(0, plan.tuples, offsets, cuts[at], cuts[at + 1]);
  });
}

// The shift of two to four groups for each part.
int shift_of_groups(const Plan& plan, int64_t parts) {
  const auto bits = [](uint64_t n) { return static_cast<int>(std::bit_width(n)); };
  const int least = bits(static_cast<uint64_t>(bytes_apart() / plan.scale));
  return std::max(least, bits(plan.span - 1) - bits(2 * static_cast<uint64_t>(parts)));
}

// Whether no group has more than two parts' share of the tuples.
template <class O>
bool is_even(const Plan& plan, const std::vector<O>& sample, int shift) {
  std::vector<size_t> counts((plan.span >> shift) + 1);
  for (const O offset : sample) ++counts[offset >> shift];
  return std::ranges::max(counts) <= 2 * kSamples;
}

// Sorted tuples: a range of them for each part, cut where the slice changes.
template <class O>
void write_sorted(const Plan& plan, const O* offsets, const ScatterMover<O>& mover) {
  const int64_t parts = count_ranges_of(plan);
  const O* end = offsets + plan.tuples;
  const auto at = [&](int64_t p) {
    if (p == parts) return plan.tuples;
    const int64_t share = plan.tuples / parts * p;
    return std::lower_bound(offsets, end, offsets[share]) - offsets;
  };
  run_parts(plan, parts, [&](int64_t p) {
    mover.move(at(p), at(p + 1), offsets, 0, static_cast<O>(plan.span));
  });
}

// No two of them go to one slice.
template <class O>
void write_winners(const Plan& plan, const OrderedTuples<O>& winners,
                   const ScatterMover<O>& mover) {
  parallel_for(
      static_cast<int64_t>(winners.n), grain_for(plan.slice.bytes), 1,
      [&](int64_t begin, int64_t end) {
        mover.move(winners.range(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
      });
}

}  // namespace

int64_t many_parts() { return grain() > 0 ? 4 : 8; }

template <class O>
void write_parts(const Plan& plan, const KnownTuples<O>& tuples, FunctionRef<void()> ready,
                 std::byte* table, const std::byte* rows) {
  const auto span = static_cast<O>(plan.span);
  if (const int64_t columns = count_columns(plan); columns > 1) {
    ready();
    return run_parts(plan, columns, [&](int64_t p) {
      const SlicePart part = cut_slice(plan.slice, plan.dtype.size, p, columns);
      ScatterMover<O>(plan, table, rows, part).move(0, plan.tuples, tuples.offsets, 0, span);
    });
  }
  const bool in_order = tuples.order == nullptr && tuples.winners == nullptr;
  const ScatterMover<O> mover(plan, table, rows, {plan.slice}, in_order);
  if (tuples.winners != nullptr) {
    ready();
    return write_winners(plan, tuples.winners->tuples(), mover);
  }
  if (tuples.is_sorted) {
    ready();
    return write_sorted(plan, tuples.offsets, mover);
  }
  if (tuples.places != nullptr) return write_packed(plan, tuples, ready, mover, rows);
  if (tuples.order != nullptr) {
    ready();
    const int64_t parts = count_ranges_of(plan);
    return run_parts(plan, parts, [&](int64_t p) { mover.move(tuples.order->part(p, parts)); });
  }
  if (const int64_t tables = count_small_tables(plan); tables > 0) {
    const auto known = [&](int64_t first, int64_t, O*) { return tuples.offsets + first; };
    return scatter_small<O>(plan, tables, known, ready, table, rows);
  }
  const int64_t parts = count_parts_of(plan);
  if (parts == 1) {
    const O whole[] = {0, span};
    ready();
    return write_cut<O>(plan, tuples.offsets, whole, mover);
  }
  std::vector<O> sample = take_sample<O>(plan, parts, [&](int64_t t) { return tuples.offsets[t]; });
  const int shift = shift_of_groups(plan, parts);
  if (parts >= many_parts() && is_even(plan, sample, shift)) {
    return write_groups(plan, tuples.offsets, shift, ready, mover, rows);
  }
  const std::vector<O> cuts = cut_table(plan, std::move(sample));
  ready();
  write_cut<O>(plan, tuples.offsets, cuts, mover);
}

template void write_parts(const Plan&, const KnownTuples<uint32_t>&, FunctionRef<void()>,
                          std::byte*, const std::byte*);
template void write_parts(const Plan&, const KnownTuples<uint64_t>&, FunctionRef<void()>,
                          std::byte*, const std::byte*);

}  // namespace gathernd
