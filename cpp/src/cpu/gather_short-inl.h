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
#include "cpu/fetch-inl.h"
#include "cpu/resolve-inl.h"
#include "cpu/words.hpp"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Indices are loaded before the rows of the vector before them are stored: a Xeon takes stores for
// those a load needs that lie a multiple of 1 MiB and a few bytes away, where allocators put
// results behind their indices, and waits. Gathers took 2 to 4 times as long.
template <class I, class F>
size_t ResolveAhead(const TupleRule<I, uint32_t>& rule, const I* tuples, size_t n, F use) {
  constexpr bool kAhead = hn::MaxLanes(hn::ScalableTag<I>()) > 2;
  const uint32_t* no_batches = nullptr;
  return WithMode(rule.mode, [&]<Mode kMode>() {
    return ResolveShort<kMode, kAhead>(rule, tuples, no_batches, n, use);
  });
}

// Row t + k is the one at offsets[k].
template <size_t kBytes>
HWY_INLINE void MoveRows(const ShortRows& rows, const uint32_t* offsets, size_t t, size_t n) {
  std::byte* to = rows.rows + t * kBytes;
  for (size_t k = 0; k < n; ++k) {
    std::memcpy(to + k * kBytes, rows.table + size_t{offsets[k]} * kBytes, kBytes);
  }
}

// The offsets go through the stack, not through an instruction that gathers: not all targets have
// one, and it is not faster on every processor.
template <size_t kBytes, class I>
size_t GatherNear(const TupleRule<I, uint32_t>& rule, const I* tuples, const ShortRows rows,
                  size_t n) {
  return ResolveAhead(rule, tuples, n, [=](auto offsets, size_t t) HWY_ATTR {
    const hn::DFromV<decltype(offsets)> d;
    alignas(64) uint32_t lanes[hn::MaxLanes(d)];
    hn::Store(offsets, d, lanes);
    MoveRows<kBytes>(rows, lanes, t, hn::Lanes(d));
  });
}

// Rows are fetched as their tuples are resolved, and moved kAhead tuples later: fetches go on all
// the time, where one tile after the other is resolved and moved they pause.
template <size_t kBytes, class I>
size_t GatherFar(const TupleRule<I, uint32_t>& rule, const I* tuples, const ShortRows rows,
                 size_t n) {
  constexpr size_t kAhead = RowsAhead(kBytes), kRing = 2 * kAhead;
  alignas(64) uint32_t ring[kRing] = {};
  const hn::Rebind<uint32_t, hn::ScalableTag<I>> d;
  const size_t lanes = hn::Lanes(d);
  const size_t done =
      ResolveAhead(rule, tuples, n, [&ring, rows, d, lanes](auto offsets, size_t t) HWY_ATTR {
        uint32_t* at = ring + t % kRing;
        hn::Store(offsets, d, at);
        for (size_t k = 0; k < lanes; ++k) hwy::Prefetch(rows.table + size_t{at[k]} * kBytes);
        if (t >= kAhead) MoveRows<kBytes>(rows, ring + (t - kAhead) % kRing, t - kAhead, lanes);
      });
  for (size_t t = done - HWY_MIN(done, kAhead); t < done; t += lanes) {
    MoveRows<kBytes>(rows, ring + t % kRing, t, lanes);
  }
  return done;
}

template <class I>
size_t GatherShort(const TupleRule<I, uint32_t>& rule, const I* tuples, const ShortRows& rows,
                   size_t n) {
  return DispatchBytes(rows.bytes, [&]<size_t kBytes>() {
    if constexpr (is_short_row(kBytes)) {
      return rows.fetch ? GatherFar<kBytes>(rule, tuples, rows, n)
                        : GatherNear<kBytes>(rule, tuples, rows, n);
    } else {
      return size_t{0};
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
