#include "d3d12/memory/geometry.hpp"

#include <algorithm>

namespace gathernd::d3d12 {

Geometry make_geometry(const Plan& plan) {
  Geometry g = {};
  g.tuples = static_cast<uint64_t>(plan.tuples);
  uint64_t batches = 1;
  for (int i = 0; i < plan.batch_dims; ++i) batches *= static_cast<uint64_t>(plan.positions[i]);
  g.per_batch = g.tuples / batches;
  g.batch_rows = 1;
  for (const int64_t dim : plan.dims) g.batch_rows *= static_cast<uint64_t>(dim);
  g.row_bytes = static_cast<uint64_t>(plan.slice.bytes);
  // Rows without bytes are never touched, and there may be any number of them. They count only if
  // duplicates must be found.
  const bool counts = g.row_bytes != 0 || plan.duplicates == Duplicates::kError;
  g.rows = counts ? batches * g.batch_rows : 0;
  g.index_bytes = static_cast<uint64_t>(plan.depth * plan.index_type.size);
  return g;
}

std::vector<Chunk> make_chunks(const Geometry& g, uint64_t bytes) {
  uint64_t most = tuning().chunk_tuples;
  if (g.row_bytes != 0) most = std::min(most, bytes / g.row_bytes);
  if (g.index_bytes != 0) most = std::min(most, tuning().view_words * 4 / g.index_bytes);
  most = std::max<uint64_t>(most, 1);
  std::vector<Chunk> chunks;
  if (g.per_batch <= most) {
    const uint64_t step = most / g.per_batch * g.per_batch;
    for (uint64_t first = 0; first < g.tuples; first += step) {
      chunks.push_back({first, static_cast<uint32_t>(std::min(step, g.tuples - first)),
                        static_cast<uint32_t>(g.per_batch), first / g.per_batch});
    }
    return chunks;
  }
  for (uint64_t first = 0; first < g.tuples;) {
    const uint64_t left = g.per_batch - first % g.per_batch;
    const auto count = static_cast<uint32_t>(std::min(most, left));
    chunks.push_back({first, count, UINT32_MAX, first / g.per_batch});
    first += count;
  }
  return chunks;
}

std::vector<Window> make_windows(const Geometry& g, uint64_t bytes) {
  std::vector<Window> windows;
  if (g.row_bytes > bytes) {
    for (uint64_t row = 0; row < g.rows; ++row) {
      for (uint64_t first = 0; first < g.row_bytes; first += bytes) {
        windows.push_back({row, 1, first, std::min(bytes, g.row_bytes - first)});
      }
    }
  } else {
    const uint64_t fit = g.row_bytes == 0 ? UINT64_MAX : bytes / g.row_bytes;
    const uint64_t step = std::min(fit, tuning().view_words);
    for (uint64_t row = 0; row < g.rows; row += step) {
      windows.push_back({row, static_cast<uint32_t>(std::min(step, g.rows - row)), 0, g.row_bytes});
    }
  }
  if (windows.empty()) windows.push_back({0, 0, 0, g.row_bytes});
  return windows;
}

}  // namespace gathernd::d3d12
