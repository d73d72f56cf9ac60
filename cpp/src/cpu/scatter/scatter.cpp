#include "cpu/scatter/scatter.hpp"

#include <algorithm>
#include <bit>

#include "cpu/common/caches.hpp"
#include "cpu/common/slices.hpp"
#include "cpu/resolve/resolve.hpp"
#include "cpu/scatter/reduce_sorted.hpp"
#include "cpu/scatter/scatter_early.hpp"
#include "cpu/scatter/scatter_small.hpp"
#include "cpu/scatter/write_parts.hpp"
#include "runtime/buffer.hpp"
#include "runtime/settings.hpp"

namespace gathernd {

bool gains_by_winners(const Plan& plan) {
  const auto tuples = static_cast<uint64_t>(plan.tuples);
  return plan.reduction == Reduction::kNone && plan.duplicates != Duplicates::kFirst &&
         tuples < UINT32_MAX && plan.span <= tuples / 2;
}

bool gains_by_order(const Plan& plan) {
  if (static_cast<uint64_t>(plan.tuples) > UINT32_MAX) return false;
  const int64_t parts = count_parts_of(plan);
  // Without an order each call groups the tuples, if not each thread has a table of its own.
  if (parts >= many_parts()) return count_small_tables(plan) == 0;
  // A few threads had better take their tuples out of all: the updates come in order then. Elements
  // gain more by groups of slices that a cache holds, unless the next cache holds the whole table.
  constexpr int64_t kShort = 8;  // bytes
  return parts > 1 && plan.slice.bytes <= kShort && (fits_cache(plan, 4) || !is_near(plan));
}

bool packs_by_order(const Plan& plan) {
  const int64_t least = grain() > 0 ? 6 : 16;  // parts; a fixed grain is for few
  const bool forwards = plan.duplicates != Duplicates::kFirst;
  return forwards && has_word_rows(plan) && is_near(plan) && count_parts_of(plan) >= least;
}

// Groups of 256 KiB where elements have 4 bytes; two for each thread where the table is small, but
// none within some cache lines, for which two threads would contend.
int group_shift(int64_t scale, uint64_t span) {
  constexpr uint64_t kMost = 1 << 16;               // elements
  const uint64_t least = grain() > 0 ? 1 : 1 << 6;  // a fixed grain is for small tables
  const auto unit = static_cast<uint64_t>(scale);
  const uint64_t share = span / (2 * static_cast<uint64_t>(num_threads()));
  const uint64_t slices = std::max(std::min(kMost / unit, share), least / unit);
  return slices == 0 ? 0 : static_cast<int>(std::bit_width(slices)) - 1;
}

template <class O>
void check_duplicates(const Plan& plan, const Order<O>& sorted) {
  int64_t first, second;
  if (find_duplicate(sorted, &first, &second)) throw_duplicate(plan, first, second);
}

namespace {

// What comes before the first write, unless the scatter is in place.
auto make_ready(const Tensor& input, const Tensor& output) {
  return [&input, &output] {
    if (output.data != input.data) copy_tensor(input, output);
  };
}

// A small table is not written before every tuple has been seen: nothing need be kept of them.
template <class O>
void resolve_and_scatter_small(const Plan& plan, int64_t tables, const Indices& indices,
                               FunctionRef<void()> ready, std::byte* table, const std::byte* rows) {
  const Resolver<O> resolver(plan, indices);
  FirstBad first_bad;
  const auto resolve = [&](int64_t first, int64_t n, O* room) -> const O* {
    return resolver.resolve(first, n, room, &first_bad) ? room : nullptr;
  };
  const auto checked = [&] {
    first_bad.throw_if_any(plan);
    ready();
  };
  scatter_small<O>(plan, tables, resolve, checked, table, rows);
}

}  // namespace

template <class O>
void scatter(const Plan& plan, const Tensor& input, const Indices& indices, const Tensor& updates,
             const Tensor& output, bool fresh) {
  const bool repeats = plan.duplicates != Duplicates::kError;
  if (plan.slice.bytes == 0 && repeats) {
    check_all<O>(plan, indices);
    return make_ready(input, output)();
  }
  if (const int64_t tables = count_small_tables(plan); tables > 0 && repeats) {
    return resolve_and_scatter_small<O>(plan, tables, indices, make_ready(input, output),
                                        output.data, updates.data);
  }
  fresh = fresh && output.data != input.data;
  if (may_write_early(plan, indices, output, fresh) && overlaps_resolving(plan)) {
    return scatter_early<O>(plan, indices, make_ready(input, output), output.data, updates.data);
  }
  const auto n = static_cast<size_t>(plan.tuples);
  const Buffer<O> offsets(n);
  resolve_all(plan, indices, offsets.data());
  if (!repeats) check_duplicates(plan, Order<O>({offsets.data(), n}, plan.span, 0));
  scatter_resolved<O>(plan, input, {offsets.data()}, updates, output);
}

template <class O>
void scatter_resolved(const Plan& plan, const Tensor& input, const KnownTuples<O>& tuples,
                      const Tensor& updates, const Tensor& output) {
  const auto ready = make_ready(input, output);
  if (plan.tuples == 0 || plan.slice.bytes == 0) return ready();
  if (!needs_sorting(plan)) return write_parts(plan, tuples, ready, output.data, updates.data);
  if (tuples.order != nullptr) {
    return reduce_sorted(plan, *tuples.order, ready, output.data, updates.data);
  }
  const Order<O> sorted({tuples.offsets, static_cast<size_t>(plan.tuples)}, plan.span, 0);
  reduce_sorted(plan, sorted, ready, output.data, updates.data);
}

template void scatter<uint32_t>(const Plan&, const Tensor&, const Indices&, const Tensor&,
                                const Tensor&, bool);
template void scatter<uint64_t>(const Plan&, const Tensor&, const Indices&, const Tensor&,
                                const Tensor&, bool);
template void check_duplicates(const Plan&, const Order<uint32_t>&);
template void check_duplicates(const Plan&, const Order<uint64_t>&);
template void scatter_resolved(const Plan&, const Tensor&, const KnownTuples<uint32_t>&,
                               const Tensor&, const Tensor&);
template void scatter_resolved(const Plan&, const Tensor&, const KnownTuples<uint64_t>&,
                               const Tensor&, const Tensor&);

}  // namespace gathernd
