// Reductions of elements that only grow: they go by atomics if nearly nothing grows any more, else
// in order. A sample decides on the device, and the host does not wait for it. The result is the
// same either way, and also if the call goes both.
#pragma once

#include "d3d12/operators/atomics.hpp"
#include "d3d12/operators/scatter_run.hpp"

namespace gathernd::d3d12 {

// Whether the plan's elements only grow, and its rows can go by atomics of four columns a thread.
bool has_growing(const Plan& plan, const Geometry& geometry);

class Growing {
 public:
  // Of a call that is undivided and has_growing(). `in_doubt`: a bad tuple must leave the table as
  // it was.
  Growing(const ScatterCall& call, Resolver& resolver, bool in_doubt);

  // Prepares what record() runs.
  void prepare();

  // Records the sample, and the atomics under its condition.
  void record();

  // Under which the call goes in order.
  Condition grows() const { return {answer_.get(), false}; }

 private:
  const ScatterCall& call_;
  Resolver& resolver_;
  const bool in_doubt_;
  const Atomics atomics_;
  BufferPtr answer_;
};

}  // namespace gathernd::d3d12
