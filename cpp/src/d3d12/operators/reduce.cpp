#include "d3d12/operators/reduce.hpp"

#include <algorithm>
#include <optional>

#include "core/reductions.hpp"
#include "d3d12/operators/growing.hpp"
#include "d3d12/operators/operators.hpp"
#include "d3d12/operators/reduce_memory.hpp"
#include "d3d12/operators/reducer.hpp"

namespace gathernd::d3d12 {
namespace {

// Prepares the shaders that are first run when the table may already have changed.
void prepare_shaders(Gpu& gpu, const ReduceShaders& own) {
  for (const Shader* shader :
       {&shaders::resolve, &shaders::link, &shaders::mark, &shaders::rank, &shaders::sort_count,
        &shaders::sort_scan, &shaders::sort_move, &shaders::bounds, &shaders::longest,
        &shaders::to_half, own.reduce, own.reduce_lists, own.reduce_long}) {
    gpu.prepare(*shader);
  }
}

class OrderedScatter final : public ScatterRun {
 public:
  explicit OrderedScatter(const ScatterCall& call)
      : ScatterRun(call,
                   call.strategy.windows.size() * call.strategy.chunks.size() * Reducer::kCounters +
                       (call.strategy.looks ? 1 : 0)),
        arithmetic_(arithmetic_for(call.plan, resolver_.geometry(), call.strategy.in_floats)) {}

  void prepare() override {
    const auto& [gpu, memory, plan, operands, strategy] = call_;
    if (strategy.chunks.size() > 1) resolve_all();  // finds bad tuples before the table changes
    if (changes_between()) resolver_.read_status();
    if (!strategy.in_floats) {
      copies_ = copies_on_the_way(gpu, operands, arithmetic_.unit, strategy.windows.size());
    } else if (operands.source != nullptr) {
      copy_source(gpu, operands);
    }
    memory_.emplace(gpu, memory, strategy);
    if (strategy.looks) {
      const auto counter = static_cast<uint32_t>(resolver_.status_words() - 1);
      growing_.emplace(call_, resolver_, is_in_doubt(), counter).prepare();
    }
    const bool at_once = strategy.is_undivided() && !strategy.looks &&
                         most_long_rows(strategy.chunks.front(), strategy.windows.front()) == 0;
    if (operands.in_place && !at_once) prepare_shaders(gpu, arithmetic_.shaders);
  }

  void record() override {
    const auto& [gpu, memory, plan, operands, strategy] = call_;
    // Sums that are rounded once are computed in one dispatch.
    const bool sums_at_once = rounds_once(plan.dtype.kind, plan.reduction) && !strategy.in_floats;
    const uint64_t iterations = std::min(tuning().iterations, gpu.most_iterations());
    const uint64_t run =
        sums_at_once ? strategy.most_sums : std::max<uint64_t>(iterations / arithmetic_.cost, 1);
    Reducer reducer(gpu, memory, operands, resolver_, arithmetic_, run, sums_at_once, *memory_,
                    strategy.way, growing_ ? growing_->grows() : Condition{});
    if (growing_) growing_->record();
    for (const Window& window : strategy.windows) {
      reducer.reduce(window, copies_, strategy.by_tuple);
    }
  }

 private:
  Arithmetic arithmetic_;
  std::optional<ReduceMemory> memory_;
  std::optional<Growing> growing_;
  bool copies_ = false;
};

}  // namespace

uint64_t most_sums(const Gpu& gpu) {
  const uint64_t fit = gpu.pace.steps_within(tuning().submission / 2, costs::kStep * kColumns);
  return std::min({tuning().sums_at_once, gpu.most_iterations(), fit});
}

std::unique_ptr<ScatterRun> by_order(const ScatterCall& call) {
  return std::make_unique<OrderedScatter>(call);
}

}  // namespace gathernd::d3d12
