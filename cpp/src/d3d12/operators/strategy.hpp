// Which way a call goes on a D3D12 device, and into which pieces it is cut: the one place that
// decides.
//
// Gathers:
//   check              rows have no bytes: only the tuples are checked
//   short rows         the shader resolves and moves four rows of up to 4 bytes per thread
//   direct             the shader that moves rows resolves their tuples too
//   slots              a shader resolves the tuples first, another one moves the rows
// Scatters:
//   check              there is nothing to write: only the tuples are checked
//   few                one dispatch, of which each group looks at all tuples
//   atomics            updates go to the table by atomics, in any order
//   winners            the update that stays of each row is found, then all rows are written once
//   winners by tuple   the same, but only the rows of tuples are written
//   lists              the tuples of each row become a list, which is reduced in order
//   sorted             tuples are sorted by row; each run is reduced in order
//   or atomics         after either: the device looks first
//   kept order         the same with the order that an IndexPlan keeps
//
// docs/internals/strategies.md has both trees.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "d3d12/memory/geometry.hpp"
#include "gathernd/plan.hpp"

namespace gathernd::d3d12 {

enum class GatherWay : uint8_t { kCheck, kShortRows, kDirect, kSlots };

struct GatherStrategy {
  GatherWay way = GatherWay::kSlots;
  std::vector<Chunk> chunks = {};
  std::vector<Window> windows = {};
};

enum class ScatterWay : uint8_t {
  kCheck,
  kFew,
  kAtomics,
  kWinners,
  kWinnersByTuple,
  kLists,
  kSorted,
  kKeptOrder
};

struct ScatterFacts {
  bool has_source = false;   // rows without a tuple come from another buffer
  bool is_kept = false;      // the tuples are those of an IndexPlan
  bool is_software = false;  // Mesa's software device
  uint64_t most_sums = 0;    // tuples whose sums are rounded once that one dispatch can reduce
};

struct ScatterStrategy {
  ScatterWay way = ScatterWay::kWinners;
  bool preaggregates = false;  // atomics: a group first combines its items in shared memory
  bool looks = false;          // reductions: by atomics if the device sees that little grows
  bool by_tuple = false;       // reductions: only the rows of tuples are gone through
  bool in_floats = false;      // reductions: into a float32 copy of the table
  uint64_t most_sums = 0;      // reductions: as in ScatterFacts
  std::vector<Chunk> chunks = {};
  std::vector<Window> windows = {};

  bool is_undivided() const { return chunks.size() == 1 && windows.size() == 1; }
};

// Pure: the same for the same plan, facts and settings. The plan has tuples.
GatherStrategy choose_gather(const Plan& plan);
ScatterStrategy choose_scatter(const Plan& plan, const ScatterFacts& facts);

// "sorted, chunks: 2": for programs that show or test which way a call went.
std::string text(const GatherStrategy& strategy);
std::string text(const ScatterStrategy& strategy);

// As force_device_gather and force_device_scatter.
void force_gather(std::string_view way);
void force_scatter(std::string_view way);

}  // namespace gathernd::d3d12
