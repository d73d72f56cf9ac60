// The limits that a call is cut up by.
#pragma once

#include <cstdint>
#include <optional>

namespace gathernd::d3d12 {

// Tests make them small.
struct Limits {
  uint64_t view_words = (uint64_t{1} << 27) - 256;  // elements of an R32 view, less alignment
  uint64_t view_quads = (uint64_t{1} << 27) - 256;  // of a 128-bit view: 2 GiB; drivers fail there
  uint64_t tuples = uint64_t{1} << 26;              // of a chunk
  uint64_t halves = uint64_t{1} << 20;              // tuples that are summed in one dispatch
  uint64_t run = uint64_t{1} << 20;       // turns of a thread's loops in a dispatch, about
  uint64_t staging = uint64_t{16} << 20;  // bytes, each way
  uint64_t sparse = 32;                   // rows a tuple, past which is_sparse()
  uint32_t floor = 0;                     // of the first codes, as in Codes
  std::optional<bool> merges = {};        // whether atomics' items meet before; else by the device
  double submission = 100e6;              // nanoseconds, by estimate
  void (*submitted)(double time) = nullptr;  // told of each submission's estimate
  std::optional<uint32_t> long_rows = {};    // of many tuples; benchmarks know how many
};
Limits& limits();

}  // namespace gathernd::d3d12
