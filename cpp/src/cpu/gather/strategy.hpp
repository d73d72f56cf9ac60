// Which way a gather goes on the CPU: the one place that decides.
//
//   check       slices have no bytes: only the tuples are checked
//   blocks      threads resolve a block of tuples and copy its slices; short rows in one loop
//   kept rows   the same into scratch memory, which is copied once all tuples are checked
//   rows        all tuples are resolved first, then threads copy the slices of their tuples
//   columns     all tuples are resolved first, then each thread copies its part of every slice
//
// docs/internals/strategies.md has the gain of each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gathernd/plan.hpp"

namespace gathernd {

enum class GatherWay : uint8_t { kCheck, kBlocks, kKeptRows, kRows, kColumns };

struct GatherFacts {
  bool may_write_unchecked = false;  // nobody sees what a call that fails has written
  bool is_resolved = false;          // the offsets are known: those of an IndexPlan
};

struct GatherStrategy {
  GatherWay way = GatherWay::kRows;
  int64_t parts = 1;      // columns: of every slice
  bool is_fused = false;  // short rows are resolved and copied in one loop
};

// Pure: the same for the same plan, facts and settings.
GatherStrategy choose_gather(const Plan& plan, const GatherFacts& facts);

// "blocks, fused": for programs that show or test which way a call went.
std::string text(const GatherStrategy& strategy);

// For tests and benchmarks: calls go this way if they can; "": as chosen. A ValueError if there is
// no such way, or none that can be forced. No call may run meanwhile.
void force_gather(std::string_view way);
bool is_gather_forced();

}  // namespace gathernd
