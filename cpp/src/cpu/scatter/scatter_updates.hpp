// The updates of a scatter as it reads them, and the way that it goes with them.
#pragma once

#include <memory>
#include <optional>

#include "core/layout.hpp"
#include "cpu/scatter/strategy.hpp"
#include "gathernd/plan.hpp"
#include "gathernd/tensor.hpp"
#include "runtime/buffer.hpp"

namespace gathernd {

// A copy of updates in C order. Those that repeat are in it once.
class PackedUpdates {
 public:
  PackedUpdates(const Plan& plan, const Tensor& updates, const Tensor& output);
  PackedUpdates(const PackedUpdates&) = delete;
  PackedUpdates& operator=(const PackedUpdates&) = delete;

  const Plan& plan() const { return plan_; }  // the same call with the copy

  // Whether the updates take as much memory where they lie. Not those that overlap each other.
  bool is_no_larger() const;
  void take_memory();
  Tensor copy() const;

 private:
  int64_t bytes() const { return count_elements(distinct_) * plan_.dtype.size; }
  Tensor given() const { return {at_.tensor().data, plan_.dtype, distinct_, at_.tensor().strides}; }

  AtPositions at_;
  Dims distinct_, packed_strides_, strides_;  // distinct_: the shape without what repeats
  Plan plan_;
  std::optional<Buffer<std::byte>> memory_;
};

// Updates where they lie or, if that pays, a copy: of those in another order than C's, and of those
// that repeat along a slice.
class ScatterUpdates {
 public:
  ScatterUpdates(const Plan& plan, const Tensor& updates, const Tensor& output,
                 const ScatterFacts& facts);

  const Plan& plan() const { return packed_ ? packed_->plan() : plan_; }
  const ScatterStrategy& strategy() const { return strategy_; }
  // Makes the copy. Tuples that the strategy does not resolve as it goes are checked before.
  Tensor read() const { return packed_ ? packed_->copy() : updates_; }

 private:
  const Plan& plan_;
  const Tensor& updates_;
  std::unique_ptr<PackedUpdates> packed_;  // not on the stack, which may be small
  ScatterStrategy strategy_;
};

}  // namespace gathernd
