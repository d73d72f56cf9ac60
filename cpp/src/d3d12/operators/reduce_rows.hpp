// The passes that combine a chunk's updates into the rows of a window.
#pragma once

#include "d3d12/operators/arithmetic.hpp"
#include "d3d12/operators/resolve.hpp"
#include "d3d12/operators/sort.hpp"

namespace gathernd::d3d12 {

// One chunk of tuples, one window of the table.
struct Pass {
  const Window& window;
  const Chunk& chunk;
  SubView table;
  uint32_t stops;    // number of status words that a bad tuple may have changed
  uint32_t counter;  // status word that counts the long rows; the next: tuples of the longest
  bool copies;       // rows without a tuple are copied from the source
  bool by_tuple;     // as in ScatterStrategy
};

// The tuples of each slot as a linked list.
struct SlotLists {
  View heads;      // of a slot: a tuple, plus 1 and `floor`; no more than `floor` if it has none
  View nexts;      // of a tuple: the next, plus 1; else 0
  uint32_t floor;  // an earlier pass's heads are no more than this
};

class RowReducer {
 public:
  // `run`: the most updates of a group's long rows per dispatch. `at_once`: one dispatch makes all
  // of them. `longs`: as in ReduceMemory.
  RowReducer(Gpu& gpu, const Operands& operands, Resolver& resolver, const Arithmetic& arithmetic,
             uint64_t run, bool at_once, BufferPtr longs);

  // Reduces the rows of up to kLong tuples, and lists the longer ones.
  void reduce(const Pass& pass, const View& slots, const SlotOrder& order);
  void reduce_lists(const Pass& pass, const View& slots, const SlotLists& lists);

  // Reduces the long rows, of which there are at most `most`. `ranked`: the order numbers only the
  // listed rows.
  void reduce_long(const Pass& pass, const SlotOrder& order, uint32_t most, bool ranked);

 private:
  // What a shader finds the tuples of a row by, as in row_tuples.hlsli: lists, or runs of `tuples`,
  // whose starts and ends are heads and nexts.
  struct RowTuples {
    View slots, heads, nexts, tuples;
    uint32_t ends_first, floor;
  };

  // Elements smaller than a word share it with others, so they need atomics.
  Format word_format() const { return arithmetic_.unit < 4 ? Format::kAtomic : Format::kWord; }
  SubView rows_view(const Pass& pass) const;
  // The number of tuples in the longest run, read back from the device.
  uint32_t find_longest(const Pass& pass, const SlotOrder& order, uint32_t runs);
  uint32_t most_updates(double step) const;
  void run_reduce(const Shader& shader, const Pass& pass, const RowTuples& found);
  Cost reduce_cost(const Pass& pass, const ReduceParameters& parameters) const;
  ReduceParameters make_parameters(const Pass& pass, const SubView& rows) const;

  Gpu& gpu_;
  const Operands& operands_;
  Resolver& resolver_;
  Arithmetic arithmetic_;
  uint64_t run_;
  bool at_once_;
  BufferPtr longs_;
};

}  // namespace gathernd::d3d12
