// How a call is cut up: no view, and no dispatch, is larger than the device allows.
#pragma once

#include <cstdint>
#include <vector>

#include "d3d12/gpu/limits.hpp"
#include "gathernd/plan.hpp"

namespace gathernd::d3d12 {

// The packed tensors of a plan: the table is `rows` rows, of which each tuple addresses one.
struct Geometry {
  uint64_t tuples;
  uint64_t per_batch;   // tuples a batch
  uint64_t batch_rows;  // rows a batch
  uint64_t rows;
  uint64_t row_bytes;
  uint64_t index_bytes;  // a tuple
};
Geometry make_geometry(const Plan& plan);

// Tuples [first, first + count): whole batches, or a part of one.
struct Chunk {
  uint64_t first = 0;
  uint32_t count = 0;
  uint32_t per_batch = 0;  // tuples until the next batch; 2**32 - 1: all in one
  uint64_t batch = 0;      // of the first tuple
};

// Rows [first_row, first_row + rows) of the table; of long rows, one row's bytes
// [first_byte, first_byte + row_bytes) only.
struct Window {
  uint64_t first_row = 0;
  uint32_t rows = 0;
  uint64_t first_byte = 0;
  uint64_t row_bytes = 0;
};

// Chunks and windows of which neither side's rows take more than `bytes`. There is always a window.
std::vector<Chunk> make_chunks(const Geometry& geometry, uint64_t bytes);
std::vector<Window> make_windows(const Geometry& geometry, uint64_t bytes);

}  // namespace gathernd::d3d12
