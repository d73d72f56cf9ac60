// Each thread writes its part of the table: it goes through all tuples, block by block, and takes
// those that address its part.
#pragma once

#include "cpu/order/run_parts.hpp"
#include "cpu/resolve/resolve.hpp"
#include "cpu/scatter/scatter_mover.hpp"

namespace gathernd {

// Whether one of the parts between the cuts has much more than its share of the sample.
template <class O>
bool is_uneven(std::span<const O> sample, std::span<const O> cuts);

// Known offsets. `cuts`: where the parts begin, and where the last one ends.
template <class O>
void write_blocks(const Plan& plan, const O* offsets, std::span<const O> cuts, std::byte* table,
                  const std::byte* rows);

// The same for records that keep the gaps between their fields: all of a record come from one
// tuple.
template <class O>
void write_fields(const Plan& plan, const O* offsets, std::span<const O> cuts, std::byte* table,
                  const std::byte* rows);

// Tuples that are resolved as they are written: nobody sees what a call that fails has written.
template <class O>
class ResolvingBlocks {
 public:
  // `ahead`: one more thread resolves for those that write the parts.
  ResolvingBlocks(const Plan& plan, const Indices& indices, int64_t parts, bool ahead);
  ~ResolvingBlocks();

  // Throws at a bad tuple, after some are written.
  void write(std::byte* table, const std::byte* rows);

 private:
  class Shared;

  const Plan& plan_;
  Resolver<O> resolver_;
  FirstBad first_bad_;
  bool ahead_;
  std::vector<O> cuts_;
  std::unique_ptr<Shared> shared_;  // of several parts
};

}  // namespace gathernd
