#include "cpu/gather/strategy.hpp"

#include <algorithm>

#include "cpu/common/caches.hpp"
#include "cpu/common/slices.hpp"
#include "cpu/common/tuning.hpp"
#include "cpu/resolve/resolve.hpp"
#include "gathernd/error.hpp"
#include "runtime/settings.hpp"

namespace gathernd {
namespace {

using Way = GatherWay;

constexpr std::string_view kNames[] = {"check", "blocks", "kept rows", "rows", "columns"};
static_assert(std::size(kNames) == size_t{1} + static_cast<size_t>(Way::kColumns));
constexpr size_t kForcible = 1;  // the ways before this one cannot be forced

constinit Way forced_way = Way::kCheck;  // kCheck: none

// Pixels gain only if their table is near.
bool are_rows_fusible(const Plan& plan) {
  const bool are_near_pixels = is_pixel(plan.slice.bytes) && has_packed_rows(plan) && is_near(plan);
  return (has_short_rows(plan) || are_near_pixels) && plan.mode != Mode::kFill;
}

// Whether the way gives the right result.
bool can_go(Way way, const Plan& plan, const GatherFacts& facts) {
  switch (way) {
    case Way::kCheck:
      return false;
    case Way::kBlocks:
      return facts.may_write_unchecked && !facts.is_resolved;
    case Way::kKeptRows:
      return has_packed_rows(plan) && !facts.is_resolved;
    case Way::kRows:
      return true;
    case Way::kColumns:
      return most_columns(plan) > 1;
  }
  return false;
}

// The fastest way, for a plan that reads something.
Way choose(const Plan& plan, const GatherFacts& facts) {
  const Tuning& t = tuning();
  const bool few = plan.tuples < t.gather_column_tuples * num_threads();
  if (few && plan.slice.bytes >= t.gather_column_bytes) return Way::kColumns;
  if (can_go(Way::kBlocks, plan, facts)) return Way::kBlocks;
  // Rows take less memory than their offsets. Pixels gain nothing by that.
  const int64_t offset_bytes = plan.wide ? 8 : 4;
  const bool is_shorter = is_word(plan.slice.bytes) && plan.slice.bytes < offset_bytes;
  const bool keeps = are_rows_fusible(plan) && is_shorter && plan.tuples > t.kept_row_tuples &&
                     can_go(Way::kKeptRows, plan, facts);
  return keeps ? Way::kKeptRows : Way::kRows;
}

}  // namespace

GatherStrategy choose_gather(const Plan& plan, const GatherFacts& facts) {
  if (plan.tuples == 0 || plan.slice.bytes == 0) return {.way = Way::kCheck};
  const bool is_forced = forced_way != Way::kCheck && can_go(forced_way, plan, facts);
  const Way way = is_forced ? forced_way : choose(plan, facts);
  const int64_t parts =
      way == Way::kColumns ? std::min<int64_t>(num_threads(), most_columns(plan)) : 1;
  return {
      .way = way, .parts = parts, .is_fused = are_rows_fusible(plan) && are_tuples_fusible(plan)};
}

std::string text(const GatherStrategy& strategy) {
  std::string result(kNames[static_cast<size_t>(strategy.way)]);
  if (strategy.way == Way::kColumns) result += ", parts: " + std::to_string(strategy.parts);
  const bool resolves = strategy.way == Way::kBlocks || strategy.way == Way::kKeptRows;
  if (resolves && strategy.is_fused) result += ", fused";
  return result;
}

bool is_gather_forced() { return forced_way != Way::kCheck; }

void force_gather(std::string_view way) {
  const auto* const found =
      way.empty() ? kNames : std::ranges::find(kNames + kForcible, std::end(kNames), way);
  if (found == std::end(kNames)) {
    throw Error(ErrorKind::kValue, "no way of a gather to force: " + std::string(way));
  }
  forced_way = static_cast<Way>(found - kNames);
}

}  // namespace gathernd
