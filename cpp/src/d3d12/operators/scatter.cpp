#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "d3d12/gpu/failure.hpp"
#include "d3d12/operators/arithmetic.hpp"
#include "d3d12/operators/few.hpp"
#include "d3d12/operators/operators.hpp"
#include "d3d12/operators/reduce.hpp"
#include "d3d12/operators/scatter_run.hpp"
#include "d3d12/operators/set.hpp"
#include "d3d12/operators/unordered.hpp"
#include "runtime/trace.hpp"

namespace gathernd::d3d12 {
namespace {

class Check final : public ScatterRun {
 public:
  explicit Check(const ScatterCall& call) : ScatterRun(call) {}
  void prepare() override { resolve_all(); }
  void record() override {}
};

std::unique_ptr<ScatterRun> make_run(const ScatterCall& call) {
  switch (call.strategy.way) {
    case ScatterWay::kCheck:
      return std::make_unique<Check>(call);
    case ScatterWay::kFew:
      return by_few(call);
    case ScatterWay::kAtomics:
      return by_atomics(call);
    case ScatterWay::kWinners:
    case ScatterWay::kWinnersByTuple:
      return by_winners(call);
    default:
      return by_order(call);
  }
}

}  // namespace

void check_supported(const Plan& plan) {
  const Kind kind = plan.dtype.kind;
  if (plan.reduction != Reduction::kNone && !has_shaders(kind, plan.reduction)) {
    throw Error(ErrorKind::kType, std::string("scatter_nd: reduction \"") + name(plan.reduction) +
                                      "\" of " + name(kind) +
                                      " is not supported on a D3D12 device");
  }
}

void copy_source(Gpu& gpu, const Operands& operands) {
  const uint64_t bytes = std::min(operands.table->size(), operands.source->size());
  copy(gpu, *operands.table, *operands.source, bytes);
}

bool copies_on_the_way(Gpu& gpu, const Operands& operands, uint32_t unit_bytes, size_t windows) {
  if (operands.source == nullptr) return false;
  if (unit_bytes % 4 == 0 || windows == 1) return true;
  copy_source(gpu, operands);
  return false;
}

Resolver scatter(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands) {
  if (static_cast<uint64_t>(plan.tuples) >= kNone && plan.slice.bytes != 0) {
    throw LimitError("[d3d12] scatter_nd takes fewer than 2**32 - 1 tuples");
  }
  const ScatterStrategy strategy = choose_scatter(plan, {.has_source = operands.source != nullptr,
                                                         .is_kept = operands.prepared != nullptr,
                                                         .is_software = gpu.is_lavapipe,
                                                         .most_sums = most_sums(gpu)});
  Trace::record("scatter", strategy);
  const auto run = make_run({gpu, memory, plan, operands, strategy});
  run->prepare();
  if (operands.in_place) {
    memory.reserve_download(run->resolver().status_words() * 4);
    gpu.interrupt().hold();
  }
  run->record();
  return std::move(run->resolver());
}

}  // namespace gathernd::d3d12
