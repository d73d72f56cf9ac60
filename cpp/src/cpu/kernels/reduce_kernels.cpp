// Combines updates in the order of the tuples. Compiled once per SIMD target: most loops are plain,
// and the compiler vectorises them for the target.
#include "cpu/kernels/simd_targets.hpp"

#include <concepts>
#include <cstring>
#include <type_traits>

#include "cpu/kernels/combinations.hpp"
#include "cpu/kernels/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/reduce_kernels.cpp"
#include "hwy/foreach_target.h"  // must come before what is compiled once a target

#include "hwy/highway.h"

#include "cpu/kernels/bins-inl.h"
#include "cpu/kernels/first_nan-inl.h"
#include "cpu/kernels/half_sums-inl.h"
#include "cpu/kernels/pick-inl.h"
#include "cpu/kernels/reduce_elements-inl.h"
#include "cpu/kernels/scatter_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {

template <class Op, class T>
HWY_INLINE void CombineRow(std::byte* HWY_RESTRICT to, const std::byte* HWY_RESTRICT from,
                           size_t bytes) {
  size_t i = 0;
  if constexpr (kHasVectors<Op, T> || kPicks<Op, T>) {
    constexpr size_t kVector = HWY_MIN(HWY_MAX_BYTES, 32), kHalf = 16;
    const hn::CappedTag<T, kVector / sizeof(T)> d;
    for (; i + kVector <= bytes; i += kVector) {
      CombineVector<Op>(d, to + i, LoadBytes(d, from + i));
    }
    if (i == bytes) return;
    if (kVector > kHalf && i + kHalf <= bytes) {
      const hn::CappedTag<T, kHalf / sizeof(T)> half;
      CombineVector<Op>(half, to + i, LoadBytes(half, from + i));
      i += kHalf;
    }
  }
  for (; i < bytes; i += sizeof(T)) CombineOne<Op, T>(to + i, from + i);
}

template <class Op, class T>
void ReduceRows(const ScatterTile<uint64_t>& tile) {
  // For sums of points. For all operations and types it would be too much code.
  if constexpr (std::same_as<Op, Add> && std::floating_point<T>) {
    if (tile.bytes == 2 * sizeof(T)) return ReduceRowsOf<2, Op, T>(tile);
    if (tile.bytes == 3 * sizeof(T)) return ReduceRowsOf<3, Op, T>(tile);
  }
  const size_t bytes = tile.bytes;
  ForEachTarget<0>(tile, bytes,
                   [=](std::byte* HWY_RESTRICT to, const std::byte* HWY_RESTRICT from)
                       HWY_ATTR { CombineRow<Op, T>(to, from, bytes); });
}

// Rows of complex numbers add as rows of their parts, which fit vectors.
template <class Op, class T>
struct PartOf {
  using Type = T;
};
template <class Op, class T>
  requires std::same_as<Op, Add> || std::same_as<Op, Sub>
struct PartOf<Op, Complex<T>> {
  using Type = T;
};

ReduceKernels SelectRows(Kind kind, Reduction reduction) {
  return with_combination(kind, reduction, [&]<class Op, class T>() -> ReduceKernels {
    if constexpr (kSumsHalves<Op, T>) {
      return {.rows = SumHalfRows<Op, T>,
              .strided = SumHalfRows<Op, T>,
              .elements = SumHalves<Op, T>,
              .repeated = SumRepeatedHalves<Op, T>,
              .element = sizeof(T)};
    } else {
      ReduceKernels result;
      if constexpr (kGainsByTarget<T>) {
        result = ElementKernels<Op, T>();
      } else {
        result = reduce_elements(kind, reduction);
      }
      result.rows = ReduceRows<Op, typename PartOf<Op, T>::Type>;
      if constexpr (kHasBins<Op, T>) {
        result.bins = ReduceBins<Op, T>;
        result.most_bins = kMostBins;
      }
      return result;
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gathernd {

HWY_EXPORT(SelectRows);

SelectReduce reduce_kernels(int64_t target) {
  return entry_of(HWY_DISPATCH_TABLE(SelectRows), target);
}

}  // namespace gathernd
#endif  // HWY_ONCE
