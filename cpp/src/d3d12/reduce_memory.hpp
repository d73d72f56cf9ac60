// The memory of a reduction, for all of its chunks and windows: taken before the table changes, so
// that a lack of it leaves the table as it was.
#pragma once

#include <optional>
#include <span>

#include "geometry.hpp"
#include "memory.hpp"
#include "sort.hpp"

namespace gathernd::d3d12 {

// Whether all tuples are sorted. Otherwise they become lists, and those of long rows are sorted.
bool sorts_all(const Chunk& chunk, const Window& window);

// How many rows can be long, which is to have more tuples than one thread reduces.
uint64_t most_long_rows(const Chunk& chunk, const Window& window);

struct ReduceMemory {
  // `ordered`: the order of the tuples is known. `in_floats`: the table is reduced into as floats.
  ReduceMemory(Gpu& gpu, Memory& memory, std::span<const Chunk> chunks,
               std::span<const Window> windows, bool ordered, bool in_floats);

  BufferPtr longs;         // how many rows are long, and which
  BufferPtr heads, nexts;  // of lists
  BufferPtr floats;
  std::optional<Sorter> sorter;
};

}  // namespace gathernd::d3d12
