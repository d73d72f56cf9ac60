// Short rows gathered as their tuples are resolved. Included once a target by
// move_kernels.cpp.

#if defined(GATHERND_GATHER_SHORT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_GATHER_SHORT_INL_H_
#undef GATHERND_GATHER_SHORT_INL_H_
#else
#define GATHERND_GATHER_SHORT_INL_H_
#endif

#include <cstring>

#include "cpu/copy-inl.h"
#include "cpu/resolve-inl.h"
#include "cpu/words.hpp"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// rows[t] = table[offsets[t]], both packed. The offsets go through the stack, not through an
// instruction that gathers: not all targets have one, and it is not faster on every processor.
template <size_t kBytes, class I>
size_t GatherRowsOf(const TupleRule<I, uint32_t>& rule, const I* tuples, const std::byte* table,
                    std::byte* rows, size_t n) {
  const auto move = [=](auto offsets, size_t t) HWY_ATTR {
    const hn::DFromV<decltype(offsets)> d;
    alignas(64) uint32_t lanes[hn::MaxLanes(d)];
    hn::Store(offsets, d, lanes);
    std::byte* to = rows + t * kBytes;
    for (size_t k = 0; k < hn::Lanes(d); ++k) {
      std::memcpy(to + k * kBytes, table + size_t{lanes[k]} * kBytes, kBytes);
    }
  };
  // Indices are loaded before the rows of the vector before them are stored: a Xeon takes stores
  // for those a load needs that lie a multiple of 1 MiB and a few bytes away, where allocators put
  // results behind their indices, and waits. Gathers took 2 to 4 times as long.
  constexpr bool kAhead = hn::MaxLanes(hn::ScalableTag<I>()) > 2;
  const uint32_t* no_batches = nullptr;
  return WithMode(rule.mode, [&]<Mode kMode>() {
    return ResolveShort<kMode, kAhead>(rule, tuples, no_batches, n, move);
  });
}

template <class I>
size_t GatherShort(const TupleRule<I, uint32_t>& rule, const I* tuples, const std::byte* table,
                   std::byte* rows, size_t bytes, size_t n) {
  return DispatchBytes(bytes, [&]<size_t kBytes>() {
    if constexpr (is_short_row(kBytes)) {
      return GatherRowsOf<kBytes>(rule, tuples, table, rows, n);
    } else {
      return size_t{0};
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
