// Index components as one packed tensor of tuples.
#pragma once

#include "core/layout.hpp"
#include "gathernd/indices.hpp"
#include "gathernd/plan.hpp"
#include "runtime/scratch_tensor.hpp"

namespace gathernd {

// For backends that take tuples only. Throws the IndexError of a plan of mode kRaise where an index
// fits no type that the others have.
class Interleaved {
 public:
  Interleaved(const Plan& plan, const Indices& indices);

  const Plan& plan() const { return plan_; }  // the same call by these tuples
  const Tensor& tuples() const { return memory_.tensor(); }

 private:
  Plan plan_;
  AtPositions kept_;
  ScratchTensor memory_;
};

}  // namespace gathernd
