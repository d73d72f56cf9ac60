// Sums that are rounded once, those of halves: the tuples are sorted by slice, and the updates of
// each slice are added up in float32.
#pragma once

#include "cpu/order/order.hpp"
#include "gathernd/plan.hpp"
#include "runtime/buffer.hpp"

namespace gathernd {

template <class O>
class Runs {
 public:
  // The order's shift is 0. It is used until the end of write().
  Runs(const Plan& plan, const Order<O>& order);

  // Threads take parts of the table or, by columns, of every slice.
  void write(int64_t parts, bool by_columns, std::byte* table, const std::byte* rows) const;

 private:
  const Plan& plan_;
  const Order<O>& order_;
  Buffer<int64_t> row_offsets_;
};

}  // namespace gathernd
