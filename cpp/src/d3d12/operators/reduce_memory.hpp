// The memory of a reduction, for all of its chunks and windows: taken before the table changes, so
// that a lack of it leaves the table as it was.
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "d3d12/memory/geometry.hpp"
#include "d3d12/memory/memory.hpp"
#include "d3d12/operators/sort.hpp"

namespace gathernd::d3d12 {

inline constexpr uint64_t kLong = 32;  // tuples, as in row_tuples.hlsli

// Whether all tuples are sorted. Otherwise they become lists, and those of long rows are sorted.
bool sorts_all(const Chunk& chunk, const Window& window);

// How many rows can be long, which is to have more tuples than one thread reduces.
uint64_t most_long_rows(const Chunk& chunk, const Window& window);

struct ReduceMemory {
  // `ordered`: the order of the tuples is known. `in_floats`: the table is reduced into as floats.
  ReduceMemory(Gpu& gpu, Memory& memory, std::span<const Chunk> chunks,
               std::span<const Window> windows, bool ordered, bool in_floats);

  ~ReduceMemory() { memory_.give_codes(std::move(heads)); }
  ReduceMemory(const ReduceMemory&) = delete;
  ReduceMemory& operator=(const ReduceMemory&) = delete;

  BufferPtr longs;  // how many rows are long, and which
  Codes heads;      // of lists
  BufferPtr nexts;
  BufferPtr floats;
  std::optional<Sorter> sorter;

 private:
  Memory& memory_;
};

}  // namespace gathernd::d3d12
