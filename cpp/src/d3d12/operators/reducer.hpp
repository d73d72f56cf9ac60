// The passes of a reduction over one window of the table, one chunk of tuples after the other.
#pragma once

#include "d3d12/operators/kept_tuples.hpp"
#include "d3d12/operators/operators.hpp"
#include "d3d12/operators/reduce_memory.hpp"
#include "d3d12/operators/reduce_rows.hpp"

namespace gathernd::d3d12 {

class Reducer {
 public:
  static constexpr uint32_t kCounters = 2;  // status words per chunk and window

  // `run`, `at_once`: as in RowReducer. `way`: kLists, kSorted or kKeptOrder. `only_if`: the
  // condition of lists and sorted tuples.
  Reducer(Gpu& gpu, Memory& memory, const Operands& operands, Resolver& resolver,
          const Arithmetic& arithmetic, uint64_t run, bool at_once, ReduceMemory& taken,
          ScatterWay way, const Condition& only_if);

  // `copies`, `by_tuple`: as in Pass.
  void reduce(const Window& window, bool copies, bool by_tuple);

 private:
  void reduce_chunk(const Window& window, size_t c, bool copies, bool by_tuple);
  void reduce_kept(const Pass& pass, KeptTuples& kept);
  void reduce_sorted(const Pass& pass, size_t c);
  // Makes lists of the tuples; only those of long rows are sorted.
  void reduce_lists(const Pass& pass, size_t c);
  uint32_t count_long_rows();

  Gpu& gpu_;
  Memory& memory_;
  const Operands& operands_;
  Resolver& resolver_;
  Arithmetic arithmetic_;
  ReduceMemory& taken_;
  ScatterWay way_;
  Condition only_if_;
  RowReducer rows_;
  SubView table_ = {};
  uint32_t counter_;  // status word for the next chunk and window
};

}  // namespace gathernd::d3d12
