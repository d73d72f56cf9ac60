// The limits by which a call is cut into chunks, windows and submissions.
#pragma once

#include <cstdint>
#include <optional>

namespace gathernd::d3d12 {

// Tests make these small.
struct Limits {
  uint64_t view_words = (uint64_t{1} << 27) - 256;  // elements of an R32 view, less alignment
  uint64_t view_quads = (uint64_t{1} << 27) - 256;  // of a 128-bit view; drivers fail past 2 GiB
  uint64_t tuples = uint64_t{1} << 26;              // per chunk
  uint64_t halves = uint64_t{1} << 20;              // tuples that are summed in one dispatch
  uint64_t run = uint64_t{1} << 20;       // loop iterations of a thread per dispatch, approximately
  uint64_t staging = uint64_t{16} << 20;  // bytes in each direction
  uint64_t sparse = 32;                   // rows per tuple; with more, is_sparse() is true
  uint32_t floor = 0;                     // where the first epoch of Codes starts
  std::optional<bool> merges = {};        // as Combiner::merges(); absent: the device decides
  double submission = 100e6;              // estimated nanoseconds
  void (*submitted)(double time) = nullptr;  // called with the estimate of each submission
  std::optional<uint32_t> long_rows = {};    // their number, if a benchmark knows it
};
Limits& limits();

}  // namespace gathernd::d3d12
