// Combines elements one after the other, in the order of the tuples. Included by
// reduce_elements.cpp, and once per target by reduce_kernels.cpp.

#if defined(GATHERND_REDUCE_ELEMENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_REDUCE_ELEMENTS_INL_H_
#undef GATHERND_REDUCE_ELEMENTS_INL_H_
#else
#define GATHERND_REDUCE_ELEMENTS_INL_H_
#endif

#include <concepts>

#include "cpu/kernels/combine.hpp"
#include "cpu/kernels/copy-inl.h"
#include "cpu/kernels/fetch-inl.h"
#include "cpu/kernels/first_nan-inl.h"
#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/pick-inl.h"
#include "cpu/kernels/scatter_rows-inl.h"
#include "cpu/kernels/scatter_words-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether the arithmetic gains by the instructions of a target; that of other types does not.
template <class T>
inline constexpr bool kGainsByTarget = std::same_as<T, float> || std::same_as<T, double> ||
                                       std::same_as<T, Half> || std::same_as<T, BFloat16>;
template <class T>
inline constexpr bool kGainsByTarget<Complex<T>> = kGainsByTarget<T>;

template <class Op, class D>
HWY_INLINE void CombineVector(D d, std::byte* to, hn::Vec<D> from) {
  StoreBytes(d, CombineVectors<Op, hn::TFromD<D>>(LoadBytes(d, to), from), to);
}

// *to = *to op *from. Neither needs to be aligned.
template <class Op, class T>
HWY_INLINE void CombineOne(std::byte* to, const std::byte* from) {
  if constexpr (kAddsParts<Op, T>) {
    const hn::CappedTag<decltype(T::re), 2> d;
    CombineVector<Op>(d, to, LoadBytes(d, from));
  } else {
    store(Combine<Op>(load<T>(to), load<T>(from)), to);
  }
}

// kCount elements per row, which is faster than a loop over a count.
template <size_t kCount, class Op, class T>
void ReduceRowsOf(const ScatterTile<uint64_t>& tile) {
  constexpr size_t kBytes = kCount * sizeof(T);
  ForEachTarget<0>(tile, kBytes,
                   [](std::byte* HWY_RESTRICT to, const std::byte* HWY_RESTRICT from) HWY_ATTR {
                     for (size_t i = 0; i < kBytes; i += sizeof(T)) {
                       CombineOne<Op, T>(to + i, from + i);
                     }
                   });
}

// Both parts of a complex sum at once.
template <class Op, class T>
HWY_INLINE void ReduceComplex(const ScatterTile<uint32_t>& tile) {
  const hn::CappedTag<T, 2> d;
  if constexpr (sizeof(T) == sizeof(float)) {
    const hn::CappedTag<uint64_t, 1> d64;
    ForEachWord<uint64_t>(tile, [=](std::byte* to, uint64_t word) HWY_ATTR {
      CombineVector<Op>(d, to, hn::BitCast(d, hn::Set(d64, word)));
    });
  } else {
    ForEachWord<hn::Vec<decltype(d)>>(
        tile, [=](std::byte* to, auto word) HWY_ATTR { CombineVector<Op>(d, to, word); });
  }
}

// Rows of one element, packed on both sides; or one row for all tuples, which has stride 0.
template <class Op, class T>
void ReduceElements(const ScatterTile<uint32_t>& tile) {
  if constexpr (kAddsParts<Op, T>) {
    if (tile.row_stride != 0) return ReduceComplex<Op, decltype(T::re)>(tile);
  }
  const auto combine = [](std::byte* to, T word)
                           HWY_ATTR { store(Combine<Op>(load<T>(to), word), to); };
  if (tile.row_stride == 0) {
    ForEachWordOf<T>(tile, [&](size_t) { return tile.rows; }, combine);
  } else {
    ForEachWord<T>(tile, combine);
  }
}

// The same if all offsets are equal. Each result waits for the one before, but not for memory.
template <class Op, class T>
void ReduceRepeated(const ScatterTile<uint32_t>& tile) {
  std::byte* to = tile.table + ByteOffset(tile.offsets[0], tile.scale);
  T result = load<T>(to);
  for (size_t i = 0; i < tile.n; ++i) {
    result =
        Combine<Op>(result, load<T>(tile.rows + ByteOffset(tile.position(i), tile.row_stride)));
  }
  store(result, to);
}

template <class Op, class T>
ReduceKernels ElementKernels() {
  return {.strided = ReduceRowsOf<1, Op, T>,
          .elements = ReduceElements<Op, T>,
          .repeated = ReduceRepeated<Op, T>,
          .element = sizeof(T)};
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
