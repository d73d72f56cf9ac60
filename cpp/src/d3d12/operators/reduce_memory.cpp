#include "d3d12/operators/reduce_memory.hpp"

#include <algorithm>

namespace gathernd::d3d12 {

uint64_t most_long_rows(const Chunk& chunk, const Window& window) {
  return std::min<uint64_t>(window.rows, chunk.count / (kLong + 1));
}

ReduceMemory::ReduceMemory(Gpu& gpu, Memory& memory, const ScatterStrategy& strategy)
    : memory_(memory) {
  uint64_t count = 0, rows = 0, bytes = 0, longest = 0;
  for (const Window& window : strategy.windows) {
    rows = std::max<uint64_t>(rows, window.rows);
    bytes = std::max(bytes, window.rows * window.row_bytes);
    for (const Chunk& chunk : strategy.chunks) {
      count = std::max<uint64_t>(count, chunk.count);
      longest = std::max(longest, most_long_rows(chunk, window));
    }
  }
  longs = memory.take((longest + 1) * 4);
  if (strategy.in_floats) floats = memory.take(bytes * 2);
  if (strategy.way == ScatterWay::kKeptOrder) return;
  const bool lists = strategy.way == ScatterWay::kLists;
  if (lists) {
    heads = memory.take_epoch_table(rows);
    nexts = memory.take(count * 4);
  }
  const uint64_t sorted = lists ? longest : rows;
  if (sorted != 0) sorter.emplace(gpu, memory, count, sorted);
}

}  // namespace gathernd::d3d12
