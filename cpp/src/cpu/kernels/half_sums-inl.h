// Sums and products of float16 and bfloat16 that are rounded once, later: the rows are halves, and
// the table is float32. Included once per target by reduce_kernels.cpp.

#if defined(GATHERND_HALF_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_HALF_SUMS_INL_H_
#undef GATHERND_HALF_SUMS_INL_H_
#else
#define GATHERND_HALF_SUMS_INL_H_
#endif

#include "cpu/kernels/combinations.hpp"
#include "cpu/kernels/halves-inl.h"
#include "cpu/kernels/scatter_rows-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {

template <class Op, class T>
void SumHalfRows(const ScatterTile<uint64_t>& tile) {
  const size_t count = tile.bytes / sizeof(T);
  ForEachTarget<0>(tile, tile.bytes,
                   [=](std::byte* HWY_RESTRICT to, const std::byte* HWY_RESTRICT from)
                       HWY_ATTR { ReduceHalves<Op, T>(to, from, count); });
}

// Calls f(i, updates, n) for updates [i, i + n) of the tile, as floats.
template <class T, class F>
HWY_INLINE void ForEachFloats(const ScatterTile<uint32_t>& tile, F f) {
  constexpr size_t kBatch = 32;
  float updates[kBatch];
  for (size_t i = 0; i < tile.n; i += kBatch) {
    const size_t n = HWY_MIN(kBatch, tile.n - i);
    const std::byte* const from = tile.rows + i * sizeof(T);
    if (tile.positions == nullptr && tile.row_stride != 0 && n == kBatch) {
      WidenHalves<T>(from, updates, kBatch);
    } else {
      for (size_t k = 0; k < n; ++k) {
        const auto at = static_cast<int64_t>(tile.position(i + k)) * tile.row_stride;
        updates[k] = to_float(load<T>(tile.rows + at));
      }
    }
    f(i, static_cast<const float*>(updates), n);
  }
}

template <class Op, class T>
void SumHalves(const ScatterTile<uint32_t>& tile) {
  constexpr size_t kAhead = RowsAhead(sizeof(T));
  const auto target = [table = tile.table, offsets = tile.offsets](size_t i) {
    return table + static_cast<size_t>(offsets[i]) * sizeof(float);
  };
  const bool fetches = tile.fetch != Fetch::kNothing;
  ForEachFloats<T>(tile, [&](size_t i, const float* updates, size_t n) HWY_ATTR {
    if (fetches) {
      const size_t end = HWY_MIN(i + n + kAhead, tile.n);
      for (size_t a = i == 0 ? 0 : i + kAhead; a < end; ++a) ForWriting()(target(a));
    }
    for (size_t k = 0; k < n; ++k) {
      std::byte* const to = target(i + k);
      store(Op::apply(load<float>(to), updates[k]), to);
    }
  });
}

// The same if all offsets are equal.
template <class Op, class T>
void SumRepeatedHalves(const ScatterTile<uint32_t>& tile) {
  std::byte* const to = tile.table + static_cast<size_t>(tile.offsets[0]) * sizeof(float);
  float sum = load<float>(to);
  ForEachFloats<T>(tile, [&](size_t, const float* updates, size_t n) HWY_ATTR {
    for (size_t k = 0; k < n; ++k) sum = Op::apply(sum, updates[k]);
  });
  store(sum, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
