#include "d3d12/operators/reduce.hpp"

#include <algorithm>

#include "core/reductions.hpp"
#include "d3d12/operators/operators.hpp"
#include "d3d12/operators/reduce_memory.hpp"
#include "d3d12/operators/reducer.hpp"

namespace gathernd::d3d12 {
namespace {

// Prepares the shaders that are first run when the table may already have changed.
void prepare_shaders(Gpu& gpu, const Arithmetic& arithmetic) {
  for (const Shader* shader :
       {&shaders::resolve, &shaders::link, &shaders::mark, &shaders::rank, &shaders::sort_count,
        &shaders::sort_scan, &shaders::sort_move, &shaders::bounds, &shaders::longest,
        &shaders::narrow, arithmetic.shaders.reduce_long}) {
    gpu.prepare(*shader);
  }
}

}  // namespace

uint64_t most_sums(const Gpu& gpu) {
  const uint64_t fit =
      gpu.pace.steps_within(tuning().submission / 2, costs::kStep * RowReducer::kColumns);
  return std::min({tuning().sums_at_once, gpu.most_iterations(), fit});
}

Resolver reduce(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands,
                const ScatterStrategy& strategy) {
  const auto& [way, _, by_tuple, in_floats, chunks, windows] = strategy;
  const bool undivided = strategy.is_undivided();
  const Arithmetic arithmetic = arithmetic_for(plan, make_geometry(plan), in_floats);
  const size_t counters = windows.size() * chunks.size() * Reducer::kCounters;
  Resolver resolver(gpu, memory, plan, operands.indices, chunks, counters);
  if (chunks.size() > 1) {  // find all bad tuples before the table changes
    for (size_t c = 0; c < chunks.size(); ++c) resolver.resolve(c, windows.front());
  }
  if (operands.in_place && !undivided) resolver.read_status();  // also allocates what it needs
  const bool copies =
      !in_floats && copies_on_the_way(gpu, operands, arithmetic.unit, windows.size());
  if (in_floats && operands.source != nullptr) copy_source(gpu, operands);
  ReduceMemory taken(gpu, memory, strategy);
  const bool at_once = undivided && most_long_rows(chunks.front(), windows.front()) == 0;
  if (operands.in_place && !at_once) prepare_shaders(gpu, arithmetic);
  // Sums that are rounded once are computed in one dispatch.
  const uint64_t iterations = std::min(tuning().iterations, gpu.most_iterations());
  const bool sums_at_once = rounds_once(plan.dtype.kind, plan.reduction) && !in_floats;
  const uint64_t run =
      sums_at_once ? most_sums(gpu) : std::max<uint64_t>(iterations / arithmetic.cost, 1);
  Reducer reducer(gpu, memory, operands, resolver, arithmetic, run, sums_at_once, taken, way);
  if (operands.in_place) gpu.interrupt().hold();
  for (const Window& window : windows) reducer.reduce(window, copies, by_tuple);
  return resolver;
}

}  // namespace gathernd::d3d12
