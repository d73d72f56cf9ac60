// Tuples grouped by parts of the table that they address; threads take whole groups, so no two
// write to one slice. A call groups its tuples range by range; an IndexPlan keeps an order of all.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "cpu/order/order.hpp"
#include "cpu/order/range_groups.hpp"
#include "cpu/scatter/scatter_mover.hpp"
#include "gathernd/plan.hpp"
#include "runtime/buffer.hpp"

namespace gathernd {

// An offset shifted by this is its group. Each part has four to eight groups.
int shift_of_groups(const Plan& plan, int64_t parts);

// Whether one group has so many of the sampled tuples that the other threads would wait for it.
template <class O>
bool is_skewed(const Plan& plan, std::span<const O> sample, int64_t parts, int shift);

// Groups of one call.
template <class O>
class Groups {
 public:
  Groups(const Plan& plan, RangeOffsets<O> offsets_of, int shift, const std::byte* rows);

  void write(std::byte* table, const std::byte* rows) const;

 private:
  // Beside each offset stands its row if that is a word, else a position of 32 bits. Words that
  // stayed where they are would be fetched once per group, a cache line each.
  using Any = std::variant<RangeGroups<O, uint8_t>, RangeGroups<O, uint16_t>,
                           RangeGroups<O, uint32_t>, RangeGroups<O, uint64_t>>;
  static Any group(const Plan& plan, RangeOffsets<O> offsets_of, int shift, const std::byte* rows);

  const Plan& plan_;
  bool has_words_;
  Any groups_;
};

// The order that a plan keeps.
template <class O>
void write_order(const Plan& plan, const Order<O>& order, int64_t parts, std::byte* table,
                 const std::byte* rows);

// The same for words that are first packed in that order. Otherwise each part would fetch most of
// their cache lines. ranks[t]: where tuple t stands in the order.
template <class O>
class PackedOrder {
 public:
  PackedOrder(const Plan& plan, const Order<O>& order, const O* ranks, const std::byte* rows);

  void write(int64_t parts, std::byte* table) const;

 private:
  const Plan& plan_;
  const Order<O>& order_;
  Buffer<std::byte> words_;
};

// For ascending offsets. Each part is a range of tuples, cut where the slice changes.
template <class O>
void write_sorted(const Plan& plan, const O* offsets, int64_t parts, std::byte* table,
                  const std::byte* rows);

// The shift of the order that a plan keeps, for a table of `span` offsets of `scale` bytes.
int shift_of_order(int64_t scale, uint64_t span);

}  // namespace gathernd
