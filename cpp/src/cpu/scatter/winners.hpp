// The updates that stay of a set: the last one of each slice, or the first.
#pragma once

#include <cstdint>
#include <span>

#include "cpu/order/order.hpp"
#include "cpu/scatter/own_tables.hpp"
#include "cpu/scatter/tuple_source.hpp"
#include "runtime/buffer.hpp"

namespace gathernd {

// Each thread finds the winners among its tuples. There are fewer than 2^32 - 1 tuples.
template <class O>
class Winners {
 public:
  Winners(const Plan& plan, int64_t parts, OffsetsOf<O> offsets_of);

  void write(std::byte* table, const std::byte* rows) const;

  // Lists the winners of the slices [begin, end) in their order; returns how many there are.
  // P: an integer of 32 bits at least.
  template <class P>
  size_t list(int64_t begin, int64_t end, O* slices, P* positions) const;

 private:
  uint32_t winner_of(int64_t slice) const;  // its position + 1, or 0

  const Plan& plan_;
  int64_t parts_, span_;
  bool first_wins_;
  OwnTables<uint32_t> tables_;  // positions + 1, or 0
};

// Those of an IndexPlan, in the order of their slices.
template <class O>
class KeptWinners {
 public:
  KeptWinners(const Plan& plan, std::span<const O> offsets);

  OrderedTuples<O> tuples() const { return {slices_.data(), positions_.data(), n_}; }
  size_t bytes() const { return 2 * span_ * sizeof(O); }

  // Threads share the winners, because no two of them go to one slice.
  void write(const Plan& plan, std::byte* table, const std::byte* rows) const;

 private:
  size_t span_, n_;
  Buffer<O> slices_, positions_;
};

}  // namespace gathernd
