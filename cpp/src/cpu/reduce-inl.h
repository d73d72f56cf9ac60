// Rows combined into the table, one after the other. Included once a target by reduce_kernels.cpp:
// the loops are plain, and the compiler turns them into the target's vectors.

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

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
