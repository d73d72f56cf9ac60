// Sorts tuples by slot, and the tuples of each slot in C order: what a sequential reduction needs.
#pragma once

#include "d3d12/memory/memory.hpp"

namespace gathernd::d3d12 {

struct SlotOrder {
  View pairs;   // (slot, tuple)
  View starts;  // of a slot's run in the pairs, plus 1; 0 if it has none
  View ends;
  uint32_t floor = 0;  // added to all starts; a start of at most this means no run
};

class Sorter {
 public:
  // For up to `count` tuples, and up to `rows` slots.
  Sorter(Gpu& gpu, Memory& memory, uint64_t count, uint64_t rows);

  // Sorts the slots. Slots from `rows` on go to the end and belong to no run.
  void sort(const View& slots, uint32_t count, uint32_t rows);

  SlotOrder order() const;

 private:
  View pairs() const;

  Gpu& gpu_;
  uint32_t count_ = 0, rows_ = 0;
  BufferPtr pairs_, other_pairs_, counts_, before_, totals_, starts_, ends_;
};

}  // namespace gathernd::d3d12
