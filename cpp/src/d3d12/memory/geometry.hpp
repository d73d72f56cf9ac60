// How a call is cut into pieces, so that no view and no dispatch is larger than the device allows.
#pragma once

#include <cstdint>
#include <vector>

#include "d3d12/gpu/tuning.hpp"
#include "gathernd/plan.hpp"

namespace gathernd::d3d12 {

// The packed tensors of a plan. The table has `rows` rows; each tuple addresses one of them.
struct Geometry {
  uint64_t tuples;
  uint64_t per_batch;   // tuples per batch
  uint64_t batch_rows;  // rows per batch
  uint64_t rows;
  uint64_t row_bytes;
  uint64_t index_bytes;  // per tuple
};
Geometry make_geometry(const Plan& plan);

// Tuples [first, first + count): whole batches, or part of one batch.
struct Chunk {
  uint64_t first = 0;
  uint32_t count = 0;
  uint32_t per_batch = 0;  // tuples per batch; 2**32 - 1: all in one batch
  uint64_t batch = 0;      // of the first tuple
};

// Rows [first_row, first_row + rows) of the table. If rows are too long, bytes
// [first_byte, first_byte + row_bytes) of one row.
struct Window {
  uint64_t first_row = 0;
  uint32_t rows = 0;
  uint64_t first_byte = 0;
  uint64_t row_bytes = 0;
};

// Cuts the tuples into chunks, and the table into windows, whose rows take at most `bytes`, except
// that a chunk has at least one tuple. There is always at least one window.
std::vector<Chunk> make_chunks(const Geometry& geometry, uint64_t bytes);
std::vector<Window> make_windows(const Geometry& geometry, uint64_t bytes);

}  // namespace gathernd::d3d12
