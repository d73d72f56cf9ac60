// The kernels of one SIMD target, behind plain function pointers.
//
// They see one tile. They trust everything except the index values, report by their results, and
// never throw.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/kernels/tiles.hpp"
#include "gathernd/plan.hpp"

namespace gathernd {

// Sets offsets[t] to what tuple t addresses. Stops before a vector with a bad tuple (in mode wrap:
// with an index that is a size or more away), and before a rest that fills no vector. Returns how
// many tuples are done.
template <class I, class O>
using ResolveFn = size_t (*)(const TupleRule<I, O>& rule, const I* tuples, O* offsets, size_t n);

// The same, and copies the slice that tuple t addresses to row t; offsets count rows. For short
// tuples without batches, and modes that leave no holes.
template <class I, class O>
using GatherShortFn = size_t (*)(const TupleRule<I, O>& rule, const I* tuples,
                                 const ShortRows& rows, size_t n);

// How a reduction combines a tile. There are many, so each is compiled for one width of offsets
// only. `strided` takes rows of one element, `elements` packed ones, which are frequent, `repeated`
// packed ones that all address one. `bins`: the table has so few elements, up to most_bins. It
// returns how many tuples are done: not a rest that fills no vector, and none after many that
// change the table.
struct ReduceKernels {
  void (*rows)(const ScatterTile<uint64_t>&) = nullptr;
  void (*strided)(const ScatterTile<uint64_t>&) = nullptr;
  void (*elements)(const ScatterTile<uint32_t>&) = nullptr;
  void (*repeated)(const ScatterTile<uint32_t>&) = nullptr;
  size_t element = 0;  // bytes
  size_t (*bins)(const ScatterTile<uint32_t>&, size_t count) = nullptr;
  size_t most_bins = 0;

  void combine(const ScatterTile<uint64_t>& tile) const {
    (tile.bytes == element ? strided : rows)(tile);
  }
  // Combines one run of bytes with another.
  void combine_run(std::byte* to, const std::byte* from, size_t bytes) const {
    const uint64_t origin = 0;
    combine({to, 0, Fetch::kNothing, &origin, nullptr, 1, from, 0, bytes});
  }
};

using ReduceRunsFn = void (*)(const RunTile&);

// For 64-bit offsets there are neither resolve32 nor the gathers of short rows.
template <class O>
struct KernelsOf {
  ResolveFn<int32_t, O> resolve32;
  ResolveFn<int64_t, O> resolve64;
  GatherShortFn<int32_t, O> gather_short32;
  GatherShortFn<int64_t, O> gather_short64;
  void (*gather)(const GatherTile<O>&);    // other threads see streamed rows after FlushStream()
  void (*scatter)(const ScatterTile<O>&);  // the same
  // Lists the offsets in [low, high) in order, with their positions in the tile; returns how many.
  // The outputs must have room for `n`.
  size_t (*partition)(const O* offsets, size_t n, O low, O high, O* kept, uint32_t* positions);
  // The same with the tuples' words, of `bytes` each, instead of positions. `kept_words` must be
  // aligned.
  size_t (*partition_words)(const O* offsets, size_t n, O low, O high, const std::byte* words,
                            size_t bytes, O* kept, std::byte* kept_words);
};

struct MoveKernels {
  KernelsOf<uint32_t> narrow;
  KernelsOf<uint64_t> wide;
  void (*copy)(std::byte* to, const std::byte* from, size_t n);
  // The same by non-temporal stores; other threads see the copy after hwy::FlushStream().
  void (*stream)(std::byte* to, const std::byte* from, size_t n);
};

// By kind and reduction; null if the reduction has no such form.
using SelectReduce = ReduceKernels (*)(Kind kind, Reduction reduction);
using SelectReduceRuns = ReduceRunsFn (*)(Kind kind, Reduction reduction);

// All kernels of one target.
struct Kernels {
  MoveKernels move;
  SelectReduce reduce;
  SelectReduceRuns reduce_runs;
};

// `target`: a bit of hwy/targets.h.
MoveKernels move_kernels(int64_t target);
SelectReduce reduce_kernels(int64_t target);
ReduceKernels reduce_elements(Kind kind, Reduction reduction);  // what all targets share
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

}  // namespace gathernd
