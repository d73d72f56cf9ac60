// scatter_nd on the CPU.
#pragma once

#include "cpu/order/order.hpp"
#include "cpu/order/winners.hpp"
#include "gathernd/plan.hpp"
#include "gathernd/tensor.hpp"

namespace gathernd {

// `fresh`: as in Backend.
template <class O>
void scatter(const Plan& plan, const Tensor& input, const Indices& indices, const Tensor& updates,
             const Tensor& output, bool fresh);

// Tuples whose offsets are known, and what else is known of them.
template <class O>
struct KnownTuples {
  const O* offsets;
  const Order<O>* order = nullptr;      // of shift 0 where needs_sorting
  const O* places = nullptr;            // of the tuples in that order, where packs_by_order
  const Winners<O>* winners = nullptr;  // where gains_by_winners
  bool is_sorted = false;               // the offsets never fall
};

// The same for known tuples, of which duplicates="error" is true.
template <class O>
void scatter_resolved(const Plan& plan, const Tensor& input, const KnownTuples<O>& tuples,
                      const Tensor& updates, const Tensor& output);

// Whether winners make scatter_resolved faster: most tuples are replaced by later ones.
bool gains_by_winners(const Plan& plan);

// Whether an order makes scatter_resolved faster.
bool gains_by_order(const Plan& plan);

// Whether places then make it faster still: each of many threads would fetch most of the rows.
bool packs_by_order(const Plan& plan);

// The shift of that order, for a table of `span` offsets of `scale` bytes.
int group_shift(int64_t scale, uint64_t span);

// Throws where two tuples address one slice. The order's shift is 0.
template <class O>
void check_duplicates(const Plan& plan, const Order<O>& sorted);

}  // namespace gathernd
