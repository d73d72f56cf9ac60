#include "d3d12/operators/strategy.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "core/reductions.hpp"
#include "d3d12/memory/kernels.hpp"
#include "d3d12/operators/arithmetic.hpp"
#include "d3d12/operators/atomics.hpp"
#include "d3d12/operators/few.hpp"
#include "d3d12/operators/growing.hpp"
#include "d3d12/operators/resolve.hpp"
#include "gathernd/error.hpp"

namespace gathernd::d3d12 {
namespace {

constexpr std::string_view kGatherNames[] = {"check", "short rows", "direct", "slots"};
constexpr std::string_view kScatterNames[] = {
    "check", "few", "atomics", "winners", "winners by tuple", "lists", "sorted", "kept order"};

// kCheck: none.
constinit GatherWay forced_gather = GatherWay::kCheck;
constinit ScatterWay forced_scatter = ScatterWay::kCheck;

// The way of that name; the first one, which cannot be forced, for "".
template <class Way>
Way way_of(std::string_view name, std::span<const std::string_view> names, const char* op) {
  const auto found = name.empty() ? names.begin() : std::find(names.begin() + 1, names.end(), name);
  if (found == names.end()) {
    throw Error(ErrorKind::kValue, std::string("no way of a ") + op +
                                       " on a D3D12 device to force: " + std::string(name));
  }
  return static_cast<Way>(found - names.begin());
}

template <class Strategy>
std::string pieces(const Strategy& strategy) {
  std::string result;
  if (strategy.chunks.size() > 1) result += ", chunks: " + std::to_string(strategy.chunks.size());
  if (strategy.windows.size() > 1)
    result += ", windows: " + std::to_string(strategy.windows.size());
  return result;
}

bool can_go(GatherWay way, const Plan& plan, const Geometry& g, const GatherStrategy& cut) {
  switch (way) {
    case GatherWay::kCheck:
      return false;
    case GatherWay::kShortRows: {
      // Each thread reads its four tuples and writes its rows as whole words.
      const auto is_aligned = [&](const Chunk& chunk) {
        return chunk.first * g.index_bytes % 16 == 0 && chunk.first * g.row_bytes % 16 == 0;
      };
      return g.row_bytes <= 4 && plan.mode != Mode::kFill && plan.depth > 0 &&
             plan.depth <= static_cast<int>(kShortDepth) &&
             can_go(GatherWay::kDirect, plan, g, cut) &&
             std::ranges::all_of(cut.chunks, is_aligned);
    }
    case GatherWay::kDirect:
      return cut.windows.size() == 1 && has_direct_tuples(plan, g);
    case GatherWay::kSlots:
      return true;
  }
  return false;
}

bool sets(const Plan& plan) { return plan.reduction == Reduction::kNone; }

// Whether a scatter in place has few tuples for the rows: going through all rows takes longer.
bool is_sparse(const ScatterFacts& facts, uint64_t rows, uint64_t tuples) {
  return !facts.has_source && rows > tuning().sparse_rows * tuples;
}

bool atomics_pay(const Plan& plan, const Geometry& g, const ScatterFacts& facts) {
  if (!has_atomics(plan, g.row_bytes)) return false;
  if (is_sparse(facts, g.rows, g.tuples)) return true;
  if (facts.is_kept && !sets(plan)) return false;  // its order is even faster
  const bool grows = atomics_for(plan).grows();
  return g.row_bytes <= (grows ? tuning().atomic_growing_row : tuning().atomic_row);
}

ScatterStrategy by_atomics(const Plan& plan, const Geometry& g, const ScatterFacts& facts) {
  const uint64_t bytes = tuning().view_words * 4;
  const uint64_t most =
      atomics_for(plan).grows() ? tuning().preaggregated_growing_row : tuning().preaggregated_row;
  return {
      .way = ScatterWay::kAtomics,
      .preaggregates = g.row_bytes <= most && tuning().preaggregates.value_or(!facts.is_software),
      .chunks = make_chunks(g, bytes),
      .windows = make_windows(g, bytes)};
}

// One chunk in place can go by its tuples.
bool can_go_by_tuple(const ScatterStrategy& cut, const ScatterFacts& facts) {
  return !facts.has_source && cut.chunks.size() == 1;
}
bool is_sparse(const ScatterStrategy& cut, const ScatterFacts& facts) {
  return can_go_by_tuple(cut, facts) &&
         is_sparse(facts, cut.windows.front().rows, cut.chunks.front().count);
}

ScatterStrategy by_winners(const Geometry& g, const ScatterFacts& facts, ScatterWay forced) {
  const uint64_t bytes = unit_for(g.row_bytes).max_bytes;
  ScatterStrategy result = {.way = ScatterWay::kWinners,
                            .chunks = make_chunks(g, bytes),
                            .windows = make_windows(g, bytes)};
  const bool by_tuple = forced == ScatterWay::kWinnersByTuple
                            ? can_go_by_tuple(result, facts)
                            : forced != ScatterWay::kWinners && is_sparse(result, facts);
  if (by_tuple) result.way = ScatterWay::kWinnersByTuple;
  return result;
}

// Whether the device looks first how much grows, and goes by atomics if that is little.
bool looks_first(const ScatterStrategy& strategy, const Plan& plan, const Geometry& g,
                 const ScatterFacts& facts) {
  if (!tuning().looks.value_or(!facts.is_software) || !has_growing(plan, g)) return false;
  const uint64_t bytes = g.tuples * g.row_bytes;
  return !facts.has_source && strategy.way != ScatterWay::kKeptOrder && !strategy.by_tuple &&
         strategy.is_undivided() && g.row_bytes <= tuning().looked_row &&
         bytes >= tuning().looked_bytes && bytes <= tuning().view_words * 4;
}

ScatterStrategy by_order(const Plan& plan, const Geometry& g, const ScatterFacts& facts,
                         ScatterWay forced) {
  const uint64_t bytes = tuning().view_words * 4;  // the table is also viewed as words
  const bool in_floats =
      rounds_once(plan.dtype.kind, plan.reduction) &&
      (g.row_bytes % 4 != 0 || g.tuples > facts.most_sums || make_chunks(g, bytes).size() > 1);
  // If chunks have more than one row, windows have whole rows.
  const bool by_quads =
      arithmetic_for(plan, g, in_floats).format == Format::kQuad && g.row_bytes <= bytes;
  ScatterStrategy result = {.way = ScatterWay::kLists,
                            .in_floats = in_floats,
                            .most_sums = facts.most_sums,
                            .chunks = make_chunks(g, by_quads ? tuning().view_quads * 16 : bytes),
                            .windows = make_windows(g, in_floats ? bytes / 2 : bytes)};
  result.by_tuple = !in_floats && is_sparse(result, facts);
  if (forced == ScatterWay::kLists || forced == ScatterWay::kSorted) {
    result.way = forced;
  } else if (facts.is_kept && result.is_undivided()) {
    result.way = ScatterWay::kKeptOrder;
  } else if (result.chunks.front().count > tuning().list_tuples * result.windows.front().rows) {
    result.way = ScatterWay::kSorted;
  }
  result.looks = looks_first(result, plan, g, facts);
  return result;
}

// One chunk and one window.
ScatterStrategy by_few(const Geometry& g) {
  const uint64_t bytes = tuning().view_words * 4;
  return {
      .way = ScatterWay::kFew, .chunks = make_chunks(g, bytes), .windows = make_windows(g, bytes)};
}

bool can_go_by_few(const Plan& plan, const Geometry& g, const ScatterFacts& facts) {
  const bool fits =
      sets(plan) || !rounds_once(plan.dtype.kind, plan.reduction) || g.tuples <= facts.most_sums;
  return fits && has_few(plan, g) && by_few(g).is_undivided();
}

bool few_pay(const Plan& plan, const Geometry& g, const ScatterFacts& facts) {
  if (facts.is_kept && !sets(plan)) return false;  // its order is one dispatch, too
  const uint64_t most = tuning().few_tuples.value_or(facts.is_software ? 0u : kMostFew);
  return g.tuples <= most && g.row_bytes <= tuning().few_row && can_go_by_few(plan, g, facts);
}

// Which ways give the right result.
bool can_go(ScatterWay way, const Plan& plan, const Geometry& g, const ScatterFacts& facts) {
  switch (way) {
    case ScatterWay::kCheck:
      return false;
    case ScatterWay::kFew:
      return can_go_by_few(plan, g, facts);
    case ScatterWay::kAtomics:
      return has_atomics(plan, g.row_bytes);
    case ScatterWay::kWinners:
    case ScatterWay::kWinnersByTuple:
      return sets(plan);
    case ScatterWay::kLists:
    case ScatterWay::kSorted:
      return !sets(plan);
    case ScatterWay::kKeptOrder:
      return !sets(plan) && facts.is_kept;
  }
  return false;
}

}  // namespace

GatherStrategy choose_gather(const Plan& plan) {
  const Geometry g = make_geometry(plan);
  const uint64_t bytes = unit_for(g.row_bytes).max_bytes;
  GatherStrategy result = {.chunks = make_chunks(g, bytes), .windows = make_windows(g, bytes)};
  if (g.row_bytes == 0) {
    result.way = GatherWay::kCheck;
  } else if (can_go(forced_gather, plan, g, result)) {
    result.way = forced_gather;
  } else if (can_go(GatherWay::kShortRows, plan, g, result)) {
    result.way = GatherWay::kShortRows;
  } else if (can_go(GatherWay::kDirect, plan, g, result)) {
    result.way = GatherWay::kDirect;
  }
  return result;
}

ScatterStrategy choose_scatter(const Plan& plan, const ScatterFacts& facts) {
  using Way = ScatterWay;
  const Geometry g = make_geometry(plan);
  const bool compares = sets(plan) && plan.duplicates == Duplicates::kError;
  if (g.rows == 0 || (g.row_bytes == 0 && !compares)) {
    return {
        .way = Way::kCheck, .chunks = make_chunks(g, UINT64_MAX), .windows = make_windows(g, 1)};
  }
  const bool is_forced = can_go(forced_scatter, plan, g, facts);
  const Way forced = is_forced ? forced_scatter : Way::kCheck;
  if (is_forced ? forced == Way::kFew : few_pay(plan, g, facts)) return by_few(g);
  if (is_forced ? forced == Way::kAtomics : atomics_pay(plan, g, facts)) {
    return by_atomics(plan, g, facts);
  }
  return sets(plan) ? by_winners(g, facts, forced) : by_order(plan, g, facts, forced);
}

std::string text(const GatherStrategy& strategy) {
  return std::string(kGatherNames[static_cast<size_t>(strategy.way)]) + pieces(strategy);
}

std::string text(const ScatterStrategy& strategy) {
  return std::string(kScatterNames[static_cast<size_t>(strategy.way)]) +
         (strategy.preaggregates ? ", pre-aggregated" : "") +
         (strategy.looks ? ", or atomics" : "") + (strategy.by_tuple ? ", by tuple" : "") +
         (strategy.in_floats ? ", in float32" : "") + pieces(strategy);
}

void force_gather(std::string_view way) {
  forced_gather = way_of<GatherWay>(way, kGatherNames, "gather");
}

void force_scatter(std::string_view way) {
  forced_scatter = way_of<ScatterWay>(way, kScatterNames, "scatter");
}

}  // namespace gathernd::d3d12
