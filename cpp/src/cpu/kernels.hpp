// The kernels of one SIMD target, behind plain function pointers.
//
// They see one tile: linear runs of tuples, contiguous slices. They trust everything but the index
// values, report through their results, and never throw. O is the type of an offset, uint32_t or
// uint64_t; offsets count units of `scale` bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "gathernd/plan.hpp"

namespace gathernd {

inline constexpr int64_t kTile = 1024;  // tuples
inline constexpr int kShortTuple = 4;   // components, at most

// The offset of a tuple that addresses no slice (modes fill and drop).
template <class O>
inline constexpr O kNoSlice = static_cast<O>(~O{0});

// What a tuple's components are checked against. I is the lane type, int32_t or int64_t; unsigned
// index types are stored in it bit by bit.
template <class I, class O>
struct TupleRule {
  int depth;
  Mode mode;
  bool is_signed;
  bool simd;     // dims and strides fit 32 bits, and nothing is clipped into no place
  bool batched;  // each offset holds what its batch adds; if not, all start from `base`
  O base;
  I dims[kMaxRank];
  O strides[kMaxRank];
};

// offsets[t] becomes what tuple t addresses. Stops before a vector with a bad tuple in mode raise,
// or with one that is a size or more away in mode wrap, and before a remainder that fills no
// vector. Returns how many tuples are done.
template <class I, class O>
using ResolveFn = size_t (*)(const TupleRule<I, O>& rule, const I* tuples, O* offsets, size_t n);

// Packed rows where is_short_row. `fetch`: they are far away.
struct ShortRows {
  const std::byte* table;
  bool fetch;
  std::byte* rows;
  size_t bytes;
};

// The same, and row t becomes what tuple t addresses; offsets count rows. Short tuples, no batches,
// no mode that leaves holes.
template <class I, class O>
using GatherShortFn = size_t (*)(const TupleRule<I, O>& rule, const I* tuples,
                                 const ShortRows& rows, size_t n);

// rows[t] = table[offsets[t]], `bytes` each.
template <class O>
struct GatherTile {
  const std::byte* table;
  int64_t scale;
  bool cached;  // the table is small: do not prefetch
  const O* offsets;
  size_t n;
  std::byte* rows;
  int64_t row_stride;
  size_t bytes;
  bool streamed = false;  // written past the caches: faster where rows are whole cache lines
};

// What of a scatter is fetched ahead of its use.
enum class Fetch : uint8_t { kNothing, kTable, kBoth };

// table[offsets[i]] = rows[positions[i]], or the reduction of the two, in this order.
template <class O>
struct ScatterTile {
  std::byte* table;
  int64_t scale;
  Fetch fetch;
  const O* offsets;
  const uint32_t* positions;
  size_t n;
  const std::byte* rows;
  int64_t row_stride;
  size_t bytes;
  bool streamed = false;  // written past the caches, by scatter: faster where rows are long
};

// How a reduction combines a tile. They are many, so each is compiled once, not once a width of the
// offsets, but for the frequent case: packed single elements. `repeated`: all of one slice.
struct ReduceKernels {
  void (*rows)(const ScatterTile<uint64_t>&) = nullptr;
  void (*elements)(const ScatterTile<uint32_t>&) = nullptr;
  void (*repeated)(const ScatterTile<uint32_t>&) = nullptr;
};

// The next `n` tuples address one slice, at `offset` bytes.
struct Run {
  int64_t offset;
  size_t n;
};

// For each run: table[offset] = table[offset] op rows[row_offsets[t]] op ..., rounded once.
struct RunTile {
  std::byte* table;
  const Run* runs;
  size_t n;
  const std::byte* rows;
  const int64_t* row_offsets;  // bytes, a tuple each
  size_t tuples;
  size_t bytes;
};

using ReduceRunsFn = void (*)(const RunTile&);

// Of 64-bit offsets there are neither resolve32 nor the gathers of short rows.
template <class O>
struct KernelsOf {
  ResolveFn<int32_t, O> resolve32;
  ResolveFn<int64_t, O> resolve64;
  GatherShortFn<int32_t, O> gather_short32;
  GatherShortFn<int64_t, O> gather_short64;
  void (*gather)(const GatherTile<O>&);    // other threads see streamed rows after FlushStream()
  void (*scatter)(const ScatterTile<O>&);  // the same
  // Keeps the offsets in [low, high), in order, with their places in the tile; returns how many.
  // The outputs have room for `n`.
  size_t (*partition)(const O* offsets, size_t n, O low, O high, O* kept, uint32_t* positions);
};

struct MoveKernels {
  KernelsOf<uint32_t> narrow;
  KernelsOf<uint64_t> wide;
  // Copies past the caches; other threads see it after hwy::FlushStream().
  void (*stream)(std::byte* to, const std::byte* from, size_t n);
};

// By kind and reduction; null where the reduction has no such form.
using SelectReduce = ReduceKernels (*)(Kind kind, Reduction reduction);
using SelectReduceRuns = ReduceRunsFn (*)(Kind kind, Reduction reduction);

// All of one target.
struct Kernels {
  MoveKernels move;
  SelectReduce reduce;
  SelectReduceRuns reduce_runs;
};

// `target`: a bit of hwy/targets.h.
MoveKernels move_kernels(int64_t target);
SelectReduce reduce_kernels(int64_t target);
SelectReduceRuns reduce_runs_kernels(int64_t target);

// Those for offsets of the type O.
template <class O, class K>
const auto& width_of(const K& kernels) {
  if constexpr (sizeof(O) == 4) {
    return kernels.narrow;
  } else {
    return kernels.wide;
  }
}

struct Target {
  std::string_view name;
  Kernels kernels;
};

// The targets that this machine can run, best first.
std::span<const Target> targets();

}  // namespace gathernd
