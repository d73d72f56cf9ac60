// The passes of a reduction over one window of the table, chunk by chunk of the tuples.
#pragma once

#include "d3d12/operators/operators.hpp"
#include "d3d12/operators/prepared.hpp"
#include "d3d12/operators/reduce_memory.hpp"
#include "d3d12/operators/reduce_rows.hpp"

namespace gathernd::d3d12 {

class Reducer {
 public:
  static constexpr uint32_t kCounters = 2;  // words of the status for each chunk and window

  // `run`, `at_once`: as in RowReducer. `known`: what knows the order of the tuples, which are one
  // chunk, in the one window; or null.
  Reducer(Gpu& gpu, Memory& memory, const Operands& operands, Resolver& resolver,
          const Arithmetic& arithmetic, uint64_t run, bool at_once, ReduceMemory& taken,
          PreparedTuples* known);

  // `copies`, `sparse`: as in Pass.
  void reduce(const Window& window, bool copies, bool sparse);

 private:
  void reduce_chunk(const Window& window, size_t c, bool copies, bool sparse);
  // Tuples as lists; only those of long rows are sorted.
  void reduce_lists(const Pass& pass, size_t c);
  uint32_t count_long_rows();

  Gpu& gpu_;
  Memory& memory_;
  const Operands& operands_;
  Resolver& resolver_;
  Arithmetic arithmetic_;
  ReduceMemory& taken_;
  PreparedTuples* known_;
  RowReducer rows_;
  SubView table_ = {};
  uint32_t counter_;  // of the status, for the next chunk and window
};

}  // namespace gathernd::d3d12
