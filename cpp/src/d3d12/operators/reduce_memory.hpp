// The memory of a reduction, for all of its chunks and windows. It is allocated before the table
// changes, so that a lack of memory leaves the table as it was.
#pragma once

#include <optional>
#include <utility>

#include "d3d12/memory/geometry.hpp"
#include "d3d12/memory/memory.hpp"
#include "d3d12/operators/sort.hpp"
#include "d3d12/operators/strategy.hpp"

namespace gathernd::d3d12 {

// The most rows that can be long. A long row has more tuples than one thread reduces.
uint64_t most_long_rows(const Chunk& chunk, const Window& window);

struct ReduceMemory {
  ReduceMemory(Gpu& gpu, Memory& memory, const ScatterStrategy& strategy);
  ~ReduceMemory() { memory_.give_epoch_table(std::move(heads)); }
  ReduceMemory(const ReduceMemory&) = delete;
  ReduceMemory& operator=(const ReduceMemory&) = delete;

  BufferPtr longs;   // the number of long rows, and the rows
  EpochTable heads;  // of the lists
  BufferPtr nexts;
  BufferPtr floats;
  std::optional<Sorter> sorter;

 private:
  Memory& memory_;
};

}  // namespace gathernd::d3d12
