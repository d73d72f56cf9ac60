// Moves packed rows of a known size as a source gives their offsets. Included once per target by
// the files that gather.
//
// A source calls use(offsets, t) for the rows from t on, a vector at a time. It returns for how
// many rows it did so.

#if defined(GATHERND_SHORT_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_SHORT_ROWS_INL_H_
#undef GATHERND_SHORT_ROWS_INL_H_
#else
#define GATHERND_SHORT_ROWS_INL_H_
#endif

#include <array>
#include <bit>
#include <cstring>

#include "cpu/kernels/fetch-inl.h"
#include "cpu/kernels/words.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Copies the row at offsets[k] to row k. Short offsets are loaded two at a time. GCC does not
// unroll the loop for pixels by itself.
template <size_t kBytes, class O>
HWY_INLINE void MoveRows(const std::byte* table, const O* offsets, std::byte* rows, size_t n) {
  const auto move = [=](size_t k, size_t offset) HWY_ATTR {
    std::memcpy(rows + k * kBytes, table + offset * kBytes, kBytes);
  };
  size_t k = 0;
  if constexpr (sizeof(O) == sizeof(uint32_t)) {
    HWY_UNROLL(8)
    for (; k + 2 <= n; k += 2) {
      uint64_t loaded;
      std::memcpy(&loaded, offsets + k, sizeof(loaded));
      const auto pair = std::bit_cast<std::array<uint32_t, 2>>(loaded);
      move(k, pair[0]);
      move(k + 1, pair[1]);
    }
  }
  for (; k < n; ++k) move(k, offsets[k]);
}

// The offsets go through the stack instead of a gather instruction: not all targets have one, and
// it is not faster on every processor.
template <size_t kBytes, class S>
HWY_INLINE size_t MoveNear(const std::byte* table, std::byte* rows, S source) {
  return source([=](auto offsets, size_t t) HWY_ATTR {
    const hn::DFromV<decltype(offsets)> d;
    alignas(64) hn::TFromD<decltype(d)> lanes[hn::MaxLanes(d)];
    hn::Store(offsets, d, lanes);
    MoveRows<kBytes>(table, lanes, rows + t * kBytes, hn::Lanes(d));
  });
}

// Rows are prefetched when their offsets come, and moved kAhead rows later. So prefetches never
// pause, as they would if tile after tile were resolved and then moved.
template <size_t kBytes, class O, class S>
HWY_INLINE size_t MoveFar(const std::byte* table, std::byte* rows, S source) {
  constexpr size_t kAhead = RowsAhead(kBytes), kRing = 2 * kAhead;
  alignas(64) O ring[kRing];
  O* const at = ring;
  const auto move = [=](size_t t, size_t n)
                        HWY_ATTR { MoveRows<kBytes>(table, at + t % kRing, rows + t * kBytes, n); };
  const size_t done = source([=](auto offsets, size_t t) HWY_ATTR {
    const hn::DFromV<decltype(offsets)> d;
    O* const fetched = at + t % kRing;
    hn::Store(offsets, d, fetched);
    for (size_t k = 0; k < hn::Lanes(d); ++k) {
      hwy::Prefetch(table + static_cast<size_t>(fetched[k]) * kBytes);
    }
    if (t >= kAhead) move(t - kAhead, hn::Lanes(d));
  });
  const size_t first = done - HWY_MIN(done, kAhead);
  const size_t n = HWY_MIN(done - first, kRing - first % kRing);  // then the ring begins again
  move(first, n);
  move(first + n, done - first - n);
  return done;
}

// Moves short rows, and pixels from a near cache. Returns 0 for all others.
template <size_t kBytes, class S>
HWY_INLINE size_t MoveShort(const ShortRows& rows, S source) {
  if constexpr (is_short_row(kBytes)) {
    if (rows.fetch) return MoveFar<kBytes, uint32_t>(rows.table, rows.rows, source);
  }
  if constexpr (is_short_row(kBytes) || is_pixel(kBytes)) {
    if (!rows.fetch) return MoveNear<kBytes>(rows.table, rows.rows, source);
  }
  return 0;
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
