// Turns index components into one packed tensor of tuples.
#pragma once

#include "core/layout.hpp"
#include "gathernd/indices.hpp"
#include "gathernd/plan.hpp"
#include "runtime/scratch_tensor.hpp"

namespace gathernd {

// For backends that take only tuples. In mode kRaise, throws BadTupleError if an index does not fit
// the common type of the components.
class Interleaved {
 public:
  Interleaved(const Plan& plan, const Indices& indices);

  const Plan& plan() const { return plan_; }  // the same call, with these tuples
  const Tensor& tuples() const { return memory_.tensor(); }

 private:
  Plan plan_;
  AtPositions kept_;
  ScratchTensor memory_;
};

}  // namespace gathernd
