#include "cpu/scatter/scatter.hpp"

#include <optional>
#include <vector>

#include "cpu/common/slices.hpp"
#include "cpu/order/cut_table.hpp"
#include "cpu/order/repeats.hpp"
#include "cpu/order/run_parts.hpp"
#include "cpu/resolve/resolve.hpp"
#include "cpu/scatter/blocks.hpp"
#include "cpu/scatter/float_table.hpp"
#include "cpu/scatter/groups.hpp"
#include "cpu/scatter/private_tables.hpp"
#include "cpu/scatter/runs.hpp"
#include "cpu/scatter/scatter_mover.hpp"
#include "cpu/scatter/scatter_updates.hpp"
#include "runtime/buffer.hpp"
#include "runtime/trace.hpp"

namespace gathernd {
namespace {

// The first write of a scatter that is not in place.
void copy_input(const Tensor& input, const Tensor& output) {
  if (output.data != input.data) copy_tensor(input, output);
}

// Calls f(plan, input, output); or, for sums that are rounded once, with those of a float32 copy of
// the table.
template <class F>
void on_table(const Plan& plan, const ScatterStrategy& strategy, const Tensor& input,
              const Tensor& output, F f) {
  if (!strategy.in_floats) return f(plan, input, output);
  const FloatTable table(plan, input, output);
  f(table.plan(), table.tensor(), table.tensor());
  copy_input(input, output);
  table.round_to(output.data);
}

// Each thread writes its part of every slice.
template <class O>
void write_columns(const Plan& plan, int64_t parts, const O* offsets, std::byte* table,
                   const std::byte* rows) {
  run_parts(plan, parts, [&](int64_t p) {
    const SlicePart part = cut_slice(plan.slice, plan.dtype.size, p, parts);
    ScatterMover<O>(plan, table, rows, part)
        .move(0, plan.tuples, offsets, 0, static_cast<O>(plan.span));
  });
}

template <class O>
void scatter_runs(const Plan& plan, const ScatterStrategy& strategy, const Tensor& input,
                  const Order<O>& order, const Tensor& updates, const Tensor& output) {
  const Runs<O> runs(plan, order);
  copy_input(input, output);
  runs.write(strategy.parts, strategy.by_columns, output.data, updates.data);
}

template <class O>
void scatter_by_kept(const Plan& plan, const ScatterStrategy& strategy, const Tensor& input,
                     const KnownTuples<O>& tuples, const Tensor& updates, const Tensor& output) {
  std::optional<PackedOrder<O>> packed;
  if (strategy.kept == Kept::kRanks) {
    packed.emplace(plan, *tuples.order, tuples.ranks, updates.data);
  }
  copy_input(input, output);
  if (packed) return packed->write(strategy.parts, output.data);
  if (strategy.kept == Kept::kWinners) {
    return tuples.winners->write(plan, output.data, updates.data);
  }
  if (strategy.kept == Kept::kSorted) {
    return write_sorted(plan, tuples.offsets, strategy.parts, output.data, updates.data);
  }
  write_order(plan, *tuples.order, strategy.parts, output.data, updates.data);
}

// Goes by groups or blocks; or another way, if one part has too many of the tuples.
template <class O>
void scatter_by_parts(const Plan& plan, const ScatterStrategy& strategy, const Tensor& input,
                      const O* offsets, const Tensor& updates, const Tensor& output) {
  std::vector<O> cuts{0, static_cast<O>(plan.span)};
  if (strategy.parts > 1) {
    auto sample =
        take_sample<O>(plan, strategy.parts, kSamples, [&](int64_t t) { return offsets[t]; });
    const bool by_groups = strategy.way == ScatterWay::kGroups;
    const int shift = by_groups ? shift_of_groups(plan, strategy.parts) : 0;
    if (by_groups && !is_skewed<O>(plan, sample, strategy.parts, shift)) {
      const auto known = [=](int64_t first, int64_t, O*) { return offsets + first; };
      const Groups<O> groups(plan, known, shift, updates.data);
      copy_input(input, output);
      return groups.write(output.data, updates.data);
    }
    cuts = cut_table(plan, sample);
    if (strategy.if_skewed == ScatterWay::kColumns && (by_groups || is_uneven<O>(sample, cuts))) {
      copy_input(input, output);
      return write_columns(plan, count_columns(plan), offsets, output.data, updates.data);
    }
  }
  copy_input(input, output);
  const auto write = plan.dtype.fields == nullptr ? write_blocks<O> : write_fields<O>;
  write(plan, offsets, cuts, output.data, updates.data);
}

// A way that resolves as it goes.
template <class O>
void scatter_resolving(const Plan& plan, const ScatterStrategy& strategy, const Tensor& input,
                       const Indices& indices, const Tensor& updates, const Tensor& output) {
  if (strategy.way == ScatterWay::kCheck) {
    check_all<O>(plan, indices);
    return copy_input(input, output);
  }
  if (strategy.way == ScatterWay::kBlocks) {
    ResolvingBlocks<O> blocks(plan, indices, strategy.parts, strategy.ahead);
    copy_input(input, output);
    return blocks.write(output.data, updates.data);
  }
  const Resolver<O> resolver(plan, indices);
  FirstBad first_bad;
  const auto resolve = [&](int64_t first, int64_t n, O* room) -> const O* {
    return resolver.resolve(first, n, room, &first_bad) ? room : nullptr;
  };
  const auto check_and_copy = [&] {
    first_bad.throw_if_any(plan);
    copy_input(input, output);
  };
  if (strategy.way == ScatterWay::kGroups) {
    const int shift = shift_of_groups(plan, strategy.parts);
    const auto sample = take_sample(plan, strategy.parts, kFewSamples, resolver);
    if (is_skewed<O>(plan, sample, strategy.parts, shift)) {
      const Buffer<O> offsets(static_cast<size_t>(plan.tuples));
      resolve_all(plan, indices, offsets.data());
      return scatter_by_parts(plan, strategy, input, offsets.data(), updates, output);
    }
    const Groups<O> groups(plan, resolve, shift, updates.data);
    check_and_copy();
    return groups.write(output.data, updates.data);
  }
  if (strategy.way == ScatterWay::kWinners) {
    const Winners<O> winners(plan, strategy.parts, resolve);
    check_and_copy();
    return winners.write(output.data, updates.data);
  }
  PrivateTables<O> tables(plan, strategy.parts, resolve, updates.data);
  check_and_copy();
  tables.write(output.data);
}

// Tuples that are resolved already.
template <class O>
void scatter_known(const Plan& plan, const ScatterStrategy& strategy, const Tensor& input,
                   const KnownTuples<O>& tuples, const Tensor& updates, const Tensor& output) {
  const auto known = [&](int64_t first, int64_t, O*) { return tuples.offsets + first; };
  switch (strategy.way) {
    case ScatterWay::kCheck:
      return copy_input(input, output);
    case ScatterWay::kRuns: {
      if (tuples.order != nullptr) {
        return scatter_runs(plan, strategy, input, *tuples.order, updates, output);
      }
      const auto n = static_cast<size_t>(plan.tuples);
      const Order<O> sorted({tuples.offsets, n}, plan.span, 0);
      return scatter_runs(plan, strategy, input, sorted, updates, output);
    }
    case ScatterWay::kPrivateTables: {
      PrivateTables<O> tables(plan, strategy.parts, known, updates.data);
      copy_input(input, output);
      return tables.write(output.data);
    }
    case ScatterWay::kColumns:
      copy_input(input, output);
      return write_columns(plan, strategy.parts, tuples.offsets, output.data, updates.data);
    case ScatterWay::kWinners:
    case ScatterWay::kGroups:
    case ScatterWay::kBlocks:
      break;
  }
  if (strategy.kept != Kept::kNothing) {
    return scatter_by_kept(plan, strategy, input, tuples, updates, output);
  }
  if (strategy.way == ScatterWay::kWinners) {
    const Winners<O> winners(plan, strategy.parts, known);
    copy_input(input, output);
    return winners.write(output.data, updates.data);
  }
  scatter_by_parts(plan, strategy, input, tuples.offsets, updates, output);
}

}  // namespace

template <class O>
void check_duplicates(const Plan& plan, const Order<O>& sorted) {
  int64_t first, second;
  if (find_duplicate(sorted, &first, &second)) throw_duplicate(plan, first, second);
}

template <class O>
void check_duplicates(const Plan& plan, std::span<const O> offsets) {
  if (offsets.empty()) return;
  if (pays_by_bits(plan.span, offsets.size()) && !has_repeats(offsets, plan.span)) return;
  check_duplicates(plan, Order<O>(offsets, plan.span, 0));
}

template <class O>
void scatter(const Plan& given, const Tensor& input, const Indices& indices, const Tensor& updates,
             const Tensor& output, bool fresh) {
  fresh = fresh && output.data != input.data;
  const ScatterUpdates rows(
      given, updates, output,
      {.may_write_unchecked = may_write_unchecked(given, indices, output, fresh)});
  const Plan& plan = rows.plan();
  const ScatterStrategy& strategy = rows.strategy();
  if (strategy.resolves) {
    Trace::record("scatter", strategy);
    const Tensor read = rows.read();
    return on_table(plan, strategy, input, output,
                    [&](const Plan& on, const Tensor& from, const Tensor& to) {
                      scatter_resolving<O>(on, strategy, from, indices, read, to);
                    });
  }
  const auto n = static_cast<size_t>(plan.tuples);
  const Buffer<O> offsets(n);
  resolve_all(plan, indices, offsets.data());
  if (plan.duplicates == Duplicates::kError) {
    check_duplicates<O>(plan, {offsets.data(), n});
  }
  scatter_resolved<O>(plan, strategy, input, {offsets.data()}, rows.read(), output);
}

template <class O>
void scatter_resolved(const Plan& plan, const ScatterStrategy& strategy, const Tensor& input,
                      const KnownTuples<O>& tuples, const Tensor& updates, const Tensor& output) {
  Trace::record("scatter", strategy);
  on_table(plan, strategy, input, output,
           [&](const Plan& on, const Tensor& from, const Tensor& to) {
             scatter_known<O>(on, strategy, from, tuples, updates, to);
           });
}

template void scatter<uint32_t>(const Plan&, const Tensor&, const Indices&, const Tensor&,
                                const Tensor&, bool);
template void scatter<uint64_t>(const Plan&, const Tensor&, const Indices&, const Tensor&,
                                const Tensor&, bool);
template void check_duplicates(const Plan&, const Order<uint32_t>&);
template void check_duplicates(const Plan&, const Order<uint64_t>&);
template void check_duplicates(const Plan&, std::span<const uint32_t>);
template void check_duplicates(const Plan&, std::span<const uint64_t>);
template void scatter_resolved(const Plan&, const ScatterStrategy&, const Tensor&,
                               const KnownTuples<uint32_t>&, const Tensor&, const Tensor&);
template void scatter_resolved(const Plan&, const ScatterStrategy&, const Tensor&,
                               const KnownTuples<uint64_t>&, const Tensor&, const Tensor&);

}  // namespace gathernd
