// Updates that lie in another order than C's, or repeat along a slice.
#pragma once

#include "core/layout.hpp"
#include "gathernd/plan.hpp"
#include "gathernd/tensor.hpp"
#include "runtime/buffer.hpp"

namespace gathernd {

// A copy of the updates in C order. Those that repeat are in it once.
class PackedUpdates {
 public:
  PackedUpdates(const Plan& plan, const Tensor& updates, const Tensor& output)
      : PackedUpdates(plan, AtPositions(plan, updates), output) {}
  PackedUpdates(const PackedUpdates&) = delete;
  PackedUpdates& operator=(const PackedUpdates&) = delete;

  const Plan& plan() const { return plan_; }  // the same call with the copy
  Tensor tensor() const { return {memory_.data(), plan_.dtype, shape_, strides_}; }

 private:
  PackedUpdates(const Plan& plan, const AtPositions& at, const Tensor& output);

  Plan plan_;
  Dims shape_, distinct_, strides_;  // distinct_: without what repeats
  Buffer<std::byte> memory_;
};

// Whether the copy costs less than it saves.
bool pays_to_pack(const Plan& plan);

// Calls f(plan, updates) with the updates where they lie or, if that pays, with packed ones.
template <class F>
void with_packed_updates(const Plan& plan, const Tensor& updates, const Tensor& output, F f) {
  if (!pays_to_pack(plan)) return f(plan, updates);
  const PackedUpdates packed(plan, updates, output);
  f(packed.plan(), packed.tensor());
}

}  // namespace gathernd
