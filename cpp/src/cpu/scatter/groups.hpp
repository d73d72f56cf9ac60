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

// Four to eight groups for each part: the shift of an offset that is its group.
int shift_of_groups(const Plan& plan, int64_t parts);

// Whether a group has so much more than its share of a sample of the tuples that other threads
// would wait for it.
template <class O>
bool is_skewed(const Plan& plan, std::span<const O> sample, int64_t parts, int shift);

// Groups of one call.
template <class O>
class Groups {
 public:
  Groups(const Plan& plan, RangeOffsets<O> offsets_of, int shift, const std::byte* rows);

  void write(std::byte* table, const std::byte* rows) const;

 private:
  // What goes along with an offset: the row itself if it is a word, because each group would fetch
  // most cache lines of them; else a position of 32 bits.
  using Any = std::variant<RangeGroups<O, uint8_t>, RangeGroups<O, uint16_t>,
                           RangeGroups<O, uint32_t>, RangeGroups<O, uint64_t>>;
  static void write_listed(const ScatterMover<O>& mover, const RangeGroups<O, uint32_t>& groups,
                           int64_t group);
  static Any group(const Plan& plan, RangeOffsets<O> offsets_of, int shift, const std::byte* rows);

  const Plan& plan_;
  bool has_words_;
  Any groups_;
};

// The order that a plan keeps.
template <class O>
void write_order(const Plan& plan, const Order<O>& order, int64_t parts, std::byte* table,
                 const std::byte* rows);

// The same for words, packed in that order first: each part would fetch most cache lines of them.
// ranks[t]: where tuple t stands in the order.
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

// Offsets that never fall: a range of tuples for each part, cut where the slice changes.
template <class O>
void write_sorted(const Plan& plan, const O* offsets, int64_t parts, std::byte* table,
                  const std::byte* rows);

// The shift of the order that a plan keeps, for a table of `span` offsets of `scale` bytes.
int shift_of_order(int64_t scale, uint64_t span);

}  // namespace gathernd
