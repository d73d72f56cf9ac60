// scatter_nd on the CPU.
#pragma once

#include <span>

#include "cpu/order/order.hpp"
#include "cpu/scatter/strategy.hpp"
#include "cpu/scatter/winners.hpp"
#include "gathernd/plan.hpp"
#include "gathernd/tensor.hpp"

namespace gathernd {

// `fresh`: as in Backend.
template <class O>
void scatter(const Plan& plan, const Tensor& input, const Indices& indices, const Tensor& updates,
             const Tensor& output, bool fresh);

// Tuples whose offsets are known, and what of them is kept for the strategy.
template <class O>
struct KnownTuples {
  const O* offsets;
  const Order<O>* order = nullptr;
  const O* ranks = nullptr;
  const KeptWinners<O>* winners = nullptr;
};

// Scatters tuples that are resolved already. For duplicates="error" the caller has checked them.
template <class O>
void scatter_resolved(const Plan& plan, const ScatterStrategy& strategy, const Tensor& input,
                      const KnownTuples<O>& tuples, const Tensor& updates, const Tensor& output);

// Throws if two tuples address one slice. The order's shift is 0.
template <class O>
void check_duplicates(const Plan& plan, const Order<O>& sorted);
template <class O>
void check_duplicates(const Plan& plan, std::span<const O> offsets);

}  // namespace gathernd
