// Sorts tuples by slot, and the tuples of each slot in C order: what a sequential reduction needs.
#pragma once

#include "d3d12/memory/memory.hpp"

namespace gathernd::d3d12 {

// The tuples by slot: those of each slot are a run.
struct SlotOrder {
  View tuples;
  View starts;              // of a slot's run in the tuples, plus 1; 0 if it has none
  View ends;                // likewise, plus 1
  uint32_t ends_first = 0;  // word of the view
};

class Sorter {
 public:
  // For up to `count` tuples, and up to `rows` slots.
  Sorter(Gpu& gpu, Memory& memory, uint64_t count, uint64_t rows);

  // Sorts the slots. Slots from `rows` on go to the end and belong to no run. The order stays until
  // the next call.
  SlotOrder sort(const View& slots, uint32_t count, uint32_t rows);

  // The same for one that stays longer: `tuples` has `count` words, and `starts` one more than
  // `rows`.
  void sort_into(const View& tuples, const View& starts, const View& slots, uint32_t count,
                 uint32_t rows);

 private:
  // Sorts the pairs of slot and tuple.
  View sort_pairs(const View& slots, uint32_t count, uint32_t rows);

  Gpu& gpu_;
  BufferPtr pairs_, other_pairs_, counts_, before_, totals_, starts_, ends_;
};

}  // namespace gathernd::d3d12
