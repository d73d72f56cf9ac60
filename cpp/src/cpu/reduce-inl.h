// Rows combined into the table, one after the other. Included once a target by the files of
// reductions: the loops are plain, and the compiler turns them into the target's vectors.

#if defined(GATHERND_REDUCE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_REDUCE_INL_H_
#undef GATHERND_REDUCE_INL_H_
#else
#define GATHERND_REDUCE_INL_H_
#endif

#include <cstring>

#include "cpu/combine.hpp"
#include "cpu/fetch-inl.h"
#include "cpu/kernels.hpp"
#include "cpu/scatter_rows-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {

// *to = *to op *from; neither need be aligned.
template <class Op, class T>
HWY_INLINE void CombineOne(std::byte* to, const std::byte* from) {
  T a, b;
  std::memcpy(&a, to, sizeof a);
  std::memcpy(&b, from, sizeof b);
  store(Op::apply(a, b), to);
}

// Rows of one element, packed on both sides.
template <class Op, class T>
void ReduceElements(const ScatterTile<uint32_t>& tile) {
  ForEachTarget<sizeof(T), true>(tile, sizeof(T),
                                 [](std::byte* to, const std::byte* from)
                                     HWY_ATTR { CombineOne<Op, T>(to, from); });
}

template <class Op, class T>
void ReduceRows(const ScatterTile<uint64_t>& tile) {
  const size_t bytes = tile.bytes;
  if (bytes == sizeof(T)) {
    return ForEachTarget<0, true>(tile, bytes, [](std::byte* to, const std::byte* from) HWY_ATTR {
      CombineOne<Op, T>(to, from);
    });
  }
  ForEachTarget<0, true>(tile, bytes,
                         [bytes](std::byte* HWY_RESTRICT to, const std::byte* HWY_RESTRICT from)
                             HWY_ATTR {
                               for (size_t i = 0; i < bytes; i += sizeof(T))
                                 CombineOne<Op, T>(to + i, from + i);
                             });
}

template <class T>
HWY_INLINE Accumulator<T> LoadAccumulator(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return widen(value);
}

template <class T>
HWY_INLINE void StoreAccumulator(Accumulator<T> sum, std::byte* to) {
  const T value = round_to(sum, T{});
  std::memcpy(to, &value, sizeof value);
}

// `n` updates of one slice, which is kept in accumulators meanwhile.
template <class Op, class T>
HWY_INLINE void ReduceRun(std::byte* to, const std::byte* rows, const int64_t* row_offsets,
                          size_t n, size_t bytes) {
  if (bytes == sizeof(T)) {
    Accumulator<T> sum = LoadAccumulator<T>(to);
    for (size_t t = 0; t < n; ++t) sum = Op::apply(sum, LoadAccumulator<T>(rows + row_offsets[t]));
    return StoreAccumulator<T>(sum, to);
  }
  constexpr size_t kBlock = 64;  // elements
  Accumulator<T> sums[kBlock];
  for (size_t begin = 0; begin < bytes; begin += kBlock * sizeof(T)) {
    const size_t count = HWY_MIN(kBlock, (bytes - begin) / sizeof(T));
    std::byte* block = to + begin;
    for (size_t i = 0; i < count; ++i) sums[i] = LoadAccumulator<T>(block + i * sizeof(T));
    for (size_t t = 0; t < n; ++t) {
      const std::byte* from = rows + row_offsets[t] + begin;
      for (size_t i = 0; i < count; ++i) {
        sums[i] = Op::apply(sums[i], LoadAccumulator<T>(from + i * sizeof(T)));
      }
    }
    for (size_t i = 0; i < count; ++i) StoreAccumulator<T>(sums[i], block + i * sizeof(T));
  }
}

template <class Op, class T>
void ReduceRuns(const RunTile& tile) {
  constexpr size_t kAhead = 16;
  size_t t = 0;
  for (size_t i = 0; i < tile.n; ++i) {
    const Run run = tile.runs[i];
    for (size_t a = t + kAhead; a < t + run.n + kAhead && a < tile.tuples; ++a) {
      PrefetchRow(tile.rows + tile.row_offsets[a], tile.bytes, ForReading());
    }
    ReduceRun<Op, T>(tile.table + run.offset, tile.rows, tile.row_offsets + t, run.n, tile.bytes);
    t += run.n;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
