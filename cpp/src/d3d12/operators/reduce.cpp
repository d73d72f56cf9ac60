#include "d3d12/operators/reduce.hpp"

#include <algorithm>
#include <utility>

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

// The most tuples whose halves are summed in one dispatch.
uint64_t most_halves(const Gpu& gpu) {
  const uint64_t fit =
      gpu.pace.steps_within(limits().submission / 2, costs::kStep * RowReducer::kColumns);
  return std::min({limits().halves, gpu.most_iterations(), fit});
}

}  // namespace

Resolver reduce(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands) {
  const Geometry g = make_geometry(plan);
  const uint64_t view_bytes = limits().view_words * 4;  // the table is also viewed as words
  const uint64_t halves = most_halves(gpu);
  const bool in_floats =
      rounds_once(plan.dtype.kind, plan.reduction) &&
      (g.row_bytes % 4 != 0 || g.tuples > halves || make_chunks(g, view_bytes).size() > 1);
  const Arithmetic arithmetic = arithmetic_for(plan, g, in_floats);
  // If chunks have more than one row, windows have whole rows.
  const bool by_quads = arithmetic.format == Format::kQuad && g.row_bytes <= view_bytes;
  auto chunks = make_chunks(g, by_quads ? limits().view_quads * 16 : view_bytes);
  const auto windows = make_windows(g, in_floats ? view_bytes / 2 : view_bytes);
  const size_t counters = windows.size() * chunks.size() * Reducer::kCounters;
  Resolver resolver(gpu, memory, plan, operands.indices, std::move(chunks), counters);
  // Find all bad tuples before the table changes, also if the table has no rows.
  if (resolver.chunks().size() > 1 || windows.front().rows == 0) {
    for (size_t c = 0; c < resolver.chunks().size(); ++c) resolver.resolve(c, windows.front());
  }
  const bool undivided = windows.size() == 1 && resolver.chunks().size() == 1;
  if (operands.in_place && !undivided) resolver.read_status();  // also allocates what it needs
  const bool copies =
      !in_floats && copies_on_the_way(gpu, operands, arithmetic.unit, windows.size());
  if (in_floats && operands.source != nullptr) copy_source(gpu, operands);
  KeptTuples* known = undivided ? operands.prepared : nullptr;
  ReduceMemory taken(gpu, memory, resolver.chunks(), windows, known != nullptr, in_floats);
  const bool at_once = undivided && most_long_rows(resolver.chunks().front(), windows.front()) == 0;
  if (operands.in_place && !at_once) prepare_shaders(gpu, arithmetic);
  // Sums that are rounded once are computed in one dispatch.
  const uint64_t iterations = std::min(limits().run, gpu.most_iterations());
  const bool sums_at_once = rounds_once(plan.dtype.kind, plan.reduction) && !in_floats;
  const uint64_t run = sums_at_once ? halves : std::max<uint64_t>(iterations / arithmetic.cost, 1);
  Reducer reducer(gpu, memory, operands, resolver, arithmetic, run, sums_at_once, taken, known);
  const bool sparse = !in_floats && resolver.is_sparse(operands, windows.front());
  if (operands.in_place) gpu.interrupt().hold();
  for (const Window& window : windows) reducer.reduce(window, copies, sparse);
  return resolver;
}

}  // namespace gathernd::d3d12
