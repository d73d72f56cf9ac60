// Reductions of elements that only grow: the device looks at table and updates first, and lists the
// updates that change something. Few go into the table by atomics; if there are many, the call goes
// in order. The host does not wait for either. The result is the same both ways.
//
// Where much grows, the look is of no use. Where much grew in the last call that looked, a sample
// comes first, and leaves the look out if much grows again.
#pragma once

#include "d3d12/operators/atomics.hpp"
#include "d3d12/operators/scatter_run.hpp"

namespace gathernd::d3d12 {

// Whether the plan's elements only grow, and its rows are whole units of four words.
bool has_growing(const Plan& plan, const Geometry& geometry);

class Growing {
 public:
  // Of a call that is undivided and has_growing(). `in_doubt`: a bad tuple must leave the table as
  // it was. `counter`: a status word of its own.
  Growing(const ScatterCall& call, Resolver& resolver, bool in_doubt, uint32_t counter);

  // Prepares what record() runs.
  void prepare();

  // Records the sample, the look, and the atomics of what it has listed.
  void record();

  // Under which the call goes in order.
  Condition grows() const { return {answer_.get(), false}; }

 private:
  const ScatterCall& call_;
  Resolver& resolver_;
  const bool in_doubt_;
  const uint32_t counter_, most_;
  const BufferPtr listed_, sampled_, answer_;
};

}  // namespace gathernd::d3d12
