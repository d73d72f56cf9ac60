// A scatter that goes one way. Each way has a file with a ScatterRun of its own.
#pragma once

#include "d3d12/operators/resolve.hpp"
#include "d3d12/operators/strategy.hpp"

namespace gathernd::d3d12 {

struct ScatterCall {
  Gpu& gpu;
  Memory& memory;
  const Plan& plan;
  const Operands& operands;
  const ScatterStrategy& strategy;
};

class ScatterRun {
 public:
  virtual ~ScatterRun() = default;
  ScatterRun(const ScatterRun&) = delete;
  ScatterRun& operator=(const ScatterRun&) = delete;

  // Does what can fail unless the device does: allocates memory, prepares shaders, copies the
  // source. May wait to see whether a tuple is bad or repeated, and then throws.
  virtual void prepare() = 0;

  // Records the work that changes the table.
  virtual void record() = 0;

  Resolver& resolver() { return resolver_; }

 protected:
  // `counters`: as in Resolver.
  explicit ScatterRun(const ScatterCall& call, size_t counters = 0)
      : call_(call),
        resolver_(call.gpu, call.memory, call.plan, call.operands, call.strategy.chunks, counters) {
  }

  // Resolves all chunks, so that the status words name the first bad tuple.
  void resolve_all() {
    for (size_t c = 0; c < call_.strategy.chunks.size(); ++c) {
      resolver_.resolve(c, call_.strategy.windows.front());
    }
  }

  // Whether the caller's own table changes while the pieces of the call are recorded.
  bool changes_between() const { return call_.operands.in_place && !call_.strategy.is_undivided(); }

  // If false, no bad tuple can leave the caller's table half changed.
  bool is_in_doubt() const {
    return call_.operands.in_place && call_.operands.prepared == nullptr &&
           call_.plan.mode == Mode::kRaise;
  }

  const ScatterCall call_;
  Resolver resolver_;
};

}  // namespace gathernd::d3d12
