#include "d3d12/operators/reduce_memory.hpp"

#include <algorithm>

namespace gathernd::d3d12 {
namespace {

constexpr uint64_t kListsPerRow = 4;  // up to this average of tuples per row, lists are faster

}  // namespace

bool sorts_all(const Chunk& chunk, const Window& window) {
  return chunk.count > kListsPerRow * window.rows;
}

uint64_t most_long_rows(const Chunk& chunk, const Window& window) {
  return std::min<uint64_t>(window.rows, chunk.count / (kLong + 1));
}

ReduceMemory::ReduceMemory(Gpu& gpu, Memory& memory, std::span<const Chunk> chunks,
                           std::span<const Window> windows, bool ordered, bool in_floats)
    : memory_(memory) {
  uint64_t count = 0, rows = 0, bytes = 0, longest = 0, sorted = 0;
  bool lists = false;
  for (const Window& window : windows) {
    rows = std::max<uint64_t>(rows, window.rows);
    bytes = std::max(bytes, window.rows * window.row_bytes);
    for (const Chunk& chunk : chunks) {
      const bool all = sorts_all(chunk, window);
      const uint64_t most = most_long_rows(chunk, window);
      count = std::max<uint64_t>(count, chunk.count);
      longest = std::max(longest, most);
      sorted = std::max(sorted, all ? window.rows : most);
      lists = lists || !all;
    }
  }
  if (bytes == 0) return;
  longs = memory.take((longest + 1) * 4);
  if (in_floats) floats = memory.take(bytes * 2);
  if (ordered) return;
  if (lists) {
    heads = memory.take_codes(rows);
    nexts = memory.take(count * 4);
  }
  if (sorted != 0) sorter.emplace(gpu, memory, count, sorted);
}

}  // namespace gathernd::d3d12
