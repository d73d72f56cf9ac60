#include "cpu/scatter/strategy.hpp"

#include <algorithm>

#include "core/kinds.hpp"
#include "core/reductions.hpp"
#include "cpu/common/caches.hpp"
#include "cpu/common/slices.hpp"
#include "cpu/common/tuning.hpp"
#include "cpu/kernels/words.hpp"
#include "cpu/scatter/private_tables.hpp"
#include "gathernd/error.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/settings.hpp"

namespace gathernd {
namespace {

using Way = ScatterWay;

constexpr std::string_view kNames[] = {"check",   "runs",   "private tables", "winners",
                                       "columns", "groups", "blocks"};
static_assert(std::size(kNames) == size_t{1} + static_cast<size_t>(Way::kBlocks));
constexpr size_t kForcible = 2;  // the first that can be forced

constinit Way forced_way = Way::kCheck;  // kCheck: none

bool sets(const Plan& plan) { return plan.reduction == Reduction::kNone; }

// Whether neither the table nor its slices have gaps.
bool is_packed(const Plan& plan) {
  uint64_t slices = 1;
  for (const int64_t n : plan.dims) slices *= static_cast<uint64_t>(n);  // no more than memory has
  for (int d = 0; d < plan.batch_dims; ++d) slices *= static_cast<uint64_t>(plan.positions[d]);
  return slices == plan.span && plan.bias == 0 && plan.slice.size.empty() &&
         plan.scale == plan.slice.bytes;
}

// Whether the updates are single elements without gaps, or one element for all tuples.
bool has_packed_updates(const Plan& plan) {
  const Walk& walk = plan.row_walk;
  return plan.slice.bytes == plan.dtype.size && walk.size.size() == 1 &&
         (walk.stride[0] == plan.dtype.size || walk.stride[0] == 0);
}

bool fits_32_bits(const Plan& plan) { return static_cast<uint64_t>(plan.tuples) < UINT32_MAX; }

// 2^32 tuples and more are resolved first if they may be a broadcast view: memory does not suffice,
// and the call fails at once instead of running for hours.
bool is_surely_finite(const Plan& plan) {
  return fits_32_bits(plan) || (has_packed_updates(plan) && plan.row_walk.stride[0] != 0);
}

bool rounds_once(const Plan& plan) { return rounds_once(plan.dtype.kind, plan.reduction); }

// Whether private tables of consecutive tuples combine to the same bits as one table. The order of
// minima and maxima decides only which NaN stays: the first.
bool combines_tables(const Plan& plan) {
  const bool is_float = facts_of(plan.dtype.kind).group == Group::kFloat;
  const bool orders = is_float && is_ordering(plan.reduction) && is_word(plan.dtype.size);
  return orders ||
         (!order_shows(plan.dtype.kind, plan.reduction) && facts_of(plan.reduction).combines);
}

// Which ways give the right result. Groups and blocks do so for sums that are rounded once, because
// these then go into a float32 copy of the table.
bool can_go(Way way, const Plan& plan, const ScatterFacts& facts) {
  if (rounds_once(plan) && !(is_packed(plan) && (way == Way::kGroups || way == Way::kBlocks))) {
    return way == Way::kRuns;
  }
  switch (way) {
    case Way::kCheck:
    case Way::kRuns:
      return false;
    case Way::kPrivateTables:
      return combines_tables(plan) && is_packed(plan) && has_packed_updates(plan);
    case Way::kWinners:
      return sets(plan) && fits_32_bits(plan) &&
             !(facts.can_keep && plan.duplicates == Duplicates::kFirst);
    case Way::kColumns:
      return most_columns(plan) > 1;
    case Way::kGroups:
      return plan.span > 0 && fits_32_bits(plan);
    case Way::kBlocks:
      return true;
  }
  return false;
}

// Whether so many tuples are worth a table of each thread. Those of long rows are, because only
// winners are copied.
bool is_worth_tables(const Plan& plan, bool wins) {
  const Tuning& t = tuning();
  if (plan.slice.bytes >= t.winner_row_bytes) return true;
  const int64_t per_slice = wins ? t.winner_slice_tuples : t.private_slice_tuples;
  const int64_t least = std::max(t.private_tuples, num_threads() * t.private_thread_tuples);
  return plan.tuples >= least + per_slice * static_cast<int64_t>(plan.span);
}

// How many private tables pay, if the table is small: each thread fills its table and reads it
// again. A single one pays if registers hold it.
int64_t count_tables(const Plan& plan, int64_t columns) {
  const Tuning& t = tuning();
  const bool wins = can_go(Way::kWinners, plan, {});
  if (columns > 1 || !(wins || can_go(Way::kPrivateTables, plan, {}))) return 0;
  // Halves take so long to compare that combining the tables costs more than it saves.
  if (!wins && facts_of(plan.dtype.kind).group == Group::kFloat && plan.dtype.size == 2) return 0;
  const int64_t bytes = wins ? int64_t{sizeof(uint32_t)} : plan.dtype.size;
  if (plan.span > static_cast<uint64_t>(t.private_table_bytes / bytes)) return 0;
  const auto least = static_cast<int64_t>(plan.span);
  const int64_t tables =
      is_worth_tables(plan, wins)
          ? count_parts(plan.tuples, std::max(least, grain_for(plan.slice.bytes)), num_threads())
          : 1;
  const bool repeats =
      wins && plan.slice.bytes >= t.winner_row_bytes && plan.tuples >= t.winner_repeats * least;
  return tables > 1 || repeats || fits_registers(plan) ? tables : 0;
}

// What an IndexPlan should keep, because it pays if it is made only once.
Kept choose_kept(const Plan& plan, int64_t parts, int64_t columns, int64_t tables) {
  const Tuning& t = tuning();
  if (columns > 1) return Kept::kNothing;  // the tuples may be skewed
  const bool is_few = parts < t.group_parts;
  if (tables > 0 && !(is_few && sets(plan))) return Kept::kNothing;  // which need no order
  if (plan.span < static_cast<uint64_t>(t.order_least / plan.scale)) return Kept::kNothing;
  // Without an order each call on many threads would group the tuples.
  if (is_few && (parts == 1 || plan.slice.bytes > t.order_row_bytes ||
                 (is_near(plan) && !fits_cache(plan, 4)))) {
    // A few threads had better pick their tuples from all, because they read the updates in order.
    return Kept::kNothing;
  }
  const bool packs = plan.duplicates != Duplicates::kFirst && has_word_rows(plan, plan.slice) &&
                     is_near(plan) && parts >= t.pack_parts;
  return packs ? Kept::kRanks : Kept::kOrder;
}

// Whether sums that are rounded once should go into a float32 copy of the table. The copy takes
// time per element, while sorting takes time per tuple.
bool pays_in_floats(const Plan& plan, int64_t columns) {
  const int64_t length = plan.slice.bytes / plan.dtype.size;
  return columns == 1 && is_packed(plan) &&
         plan.span <= static_cast<uint64_t>(plan.tuples / length * tuning().float_elements);
}

// Whether one thread writes the table in less time than two that each take a part of it.
bool is_small(const Plan& plan, bool in_floats) {
  const int64_t bytes = plan.slice.bytes * (in_floats ? 2 : 1);
  const int64_t most = sets(plan) ? tuning().one_writer_set_bytes : tuning().one_writer_bytes;
  return plan.slice.bytes == plan.dtype.size && is_word(bytes) && bytes <= 8 &&
         plan.span <= static_cast<uint64_t>(most / bytes);
}

// The way that pays. The plan writes something.
ScatterStrategy choose(const Plan& plan, const ScatterFacts& facts) {
  const Tuning& t = tuning();
  const int64_t parts = count_parts_of(plan), columns = count_columns(plan);
  const bool checks_first = plan.duplicates == Duplicates::kError;
  const bool in_floats = rounds_once(plan);
  if (in_floats && !pays_in_floats(plan, columns)) {
    const bool by_columns = columns > 1;
    return {.way = Way::kRuns,
            .parts = by_columns ? columns : count_ranges_of(plan),
            .by_columns = by_columns,
            .kept = facts.can_keep ? Kept::kOrder : Kept::kNothing};
  }
  // Many tuples are shared more cheaply: a thread then copies whole slices.
  const bool few =
      plan.tuples < t.column_tuples * num_threads() || plan.slice.bytes >= t.column_long_bytes;
  if (columns > 1 && few) return {.way = Way::kColumns, .parts = columns};
  const Way if_skewed = columns > 1 ? Way::kColumns : Way::kBlocks;
  const int64_t tables = count_tables(plan, columns);
  if (facts.can_keep && fits_32_bits(plan)) {
    if (can_go(Way::kWinners, plan, facts) &&
        plan.span <= static_cast<uint64_t>(plan.tuples / t.kept_winner_repeats)) {
      return {.way = Way::kWinners, .kept = Kept::kWinners};
    }
    const Kept kept = facts.ascends ? Kept::kSorted : choose_kept(plan, parts, columns, tables);
    if (kept != Kept::kNothing) {
      return {.way = Way::kGroups,
              .parts = count_ranges_of(plan),
              .in_floats = in_floats,
              .kept = kept};
    }
  }
  if (tables > 0) {
    return {.way = sets(plan) ? Way::kWinners : Way::kPrivateTables,
            .parts = tables,
            .resolves = !facts.is_resolved && !checks_first && is_surely_finite(plan)};
  }
  if (parts >= t.group_parts && can_go(Way::kGroups, plan, facts)) {
    return {.way = Way::kGroups,
            .parts = parts,
            .resolves = !facts.is_resolved && !checks_first,
            .in_floats = in_floats,
            .if_skewed = if_skewed};
  }
  // "first" writes the tuples backwards.
  const bool resolves = (facts.may_write_unchecked || in_floats) && !facts.is_resolved &&
                        fits_32_bits(plan) && !checks_first &&
                        plan.duplicates != Duplicates::kFirst && columns == 1;
  const bool many = plan.tuples >= t.one_writer_tuples;
  const bool one_writes = (parts == 2 || !many) && is_small(plan, in_floats);
  return {.way = Way::kBlocks,
          .parts = one_writes ? 1 : parts,
          .resolves = resolves,
          .in_floats = in_floats,
          .ahead = one_writes && resolves && many,
          .if_skewed = if_skewed};
}

ScatterStrategy forced(const Plan& plan, const ScatterFacts& facts) {
  const int64_t threads = num_threads();
  const bool resolves = !facts.is_resolved && plan.duplicates != Duplicates::kError;
  const bool in_floats = rounds_once(plan);
  switch (forced_way) {
    case Way::kPrivateTables:
    case Way::kWinners:
      return {.way = forced_way,
              .parts = std::min(threads, plan.tuples),
              .resolves = resolves && is_surely_finite(plan)};
    case Way::kColumns:
      return {.way = Way::kColumns, .parts = std::min(threads, most_columns(plan))};
    case Way::kGroups: {
      const Kept kept = facts.ascends ? Kept::kSorted : Kept::kOrder;
      return {.way = Way::kGroups,
              .parts = threads,
              .resolves = resolves,
              .in_floats = in_floats,
              .kept = facts.can_keep ? kept : Kept::kNothing};
    }
    default:
      return {.way = Way::kBlocks,
              .parts = threads,
              .resolves = resolves && (facts.may_write_unchecked || in_floats) &&
                          fits_32_bits(plan) && plan.duplicates != Duplicates::kFirst,
              .in_floats = in_floats};
  }
}

}  // namespace

ScatterStrategy choose_scatter(const Plan& plan, const ScatterFacts& facts) {
  if (plan.tuples == 0 || plan.slice.bytes == 0) {
    const bool compares = plan.tuples != 0 && plan.duplicates == Duplicates::kError;
    return {.way = Way::kCheck, .resolves = !facts.is_resolved && !compares};
  }
  // The other ways write whole elements.
  if (plan.dtype.fields != nullptr) return {.way = Way::kBlocks, .parts = count_parts_of(plan)};
  if (forced_way != Way::kCheck && can_go(forced_way, plan, facts)) return forced(plan, facts);
  return choose(plan, facts);
}

std::string text(const ScatterStrategy& strategy) {
  static constexpr const char* kKept[] = {"", ", sorted", ", kept order", ", kept order, packed",
                                          ", kept"};
  return std::string(kNames[static_cast<size_t>(strategy.way)]) +
         ", parts: " + std::to_string(strategy.parts) + kKept[static_cast<size_t>(strategy.kept)] +
         (strategy.by_columns ? ", of each slice" : "") +
         (strategy.in_floats ? ", in float32" : "") +
         (strategy.ahead      ? ", resolves ahead"
          : strategy.resolves ? ", resolves as it writes"
                              : "");
}

bool is_scatter_forced() { return forced_way != Way::kCheck; }

void force_scatter(std::string_view way) {
  const auto* const found =
      way.empty() ? kNames : std::ranges::find(kNames + kForcible, std::end(kNames), way);
  if (found == std::end(kNames)) {
    throw Error(ErrorKind::kValue, "no way of a scatter to force: " + std::string(way));
  }
  forced_way = static_cast<Way>(found - kNames);
}

}  // namespace gathernd
