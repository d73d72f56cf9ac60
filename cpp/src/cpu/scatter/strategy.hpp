// Which way a scatter goes on the CPU: the one place that decides.
//
//   check            slices have no bytes: only the tuples are checked
//   runs             tuples sorted by slice; the updates of each are summed at once, in float32
//   private tables   each thread reduces into a table of its own; these are combined
//   winners          the update that stays of each slice is found first, and written once
//   columns          each thread writes its part of every slice
//   groups           tuples grouped by parts of the table; threads take whole groups
//   blocks           each thread goes through all tuples and writes those of its part of the table
//
// docs/internals/strategies.md has the gain of each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gathernd/plan.hpp"

namespace gathernd {

enum class ScatterWay : uint8_t {
  kCheck,
  kRuns,
  kPrivateTables,
  kWinners,
  kColumns,
  kGroups,
  kBlocks
};

// What an IndexPlan keeps for a way, so that later calls need not prepare it.
enum class Kept : uint8_t {
  kNothing,
  kSorted,  // nothing but the offsets, which ascend
  kOrder,   // tuples ordered by groups of slices (runs: by slice)
  kRanks,   // and the rank of each in that order: updates are packed by it first
  kWinners,
};

struct ScatterFacts {
  bool may_write_unchecked = false;  // nobody sees what a call that fails has written
  bool is_resolved = false;          // the offsets are known: those of an IndexPlan
  bool can_keep = false;             // an IndexPlan keeps what a way prepares
  bool ascends = false;              // each offset is at least as large as the one before
};

struct ScatterStrategy {
  ScatterWay way = ScatterWay::kBlocks;
  // Of the tuples (private tables, winners), of every slice (columns), else of the table.
  int64_t parts = 1;
  bool by_columns = false;  // runs: `parts` are of every slice
  bool resolves = false;    // tuples as it goes; else all are resolved first
  bool in_floats = false;   // sums that are rounded once: in a float32 copy of the table
  bool ahead = false;       // blocks that resolve: a thread of its own does nothing else
  Kept kept = Kept::kNothing;
  // Groups and blocks: the way to go if a sample shows that one thread would have most of the work.
  ScatterWay if_skewed = ScatterWay::kBlocks;
};

// Pure: the same for the same plan, facts and settings.
ScatterStrategy choose_scatter(const Plan& plan, const ScatterFacts& facts);

// "groups, 16 parts": for programs that show or test which way a call went.
std::string text(const ScatterStrategy& strategy);

// For tests and benchmarks: calls go this way if they can; "": as chosen. A ValueError if there is
// no such way, or none that can be forced. No call may run meanwhile.
void force_scatter(std::string_view way);
bool is_scatter_forced();

}  // namespace gathernd
