// Prefetches rows. Included once per target by the files of rows.

#if defined(GATHERND_FETCH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_FETCH_INL_H_
#undef GATHERND_FETCH_INL_H_
#else
#define GATHERND_FETCH_INL_H_
#endif

#include <cstdint>

#include "cpu/kernels/prefetch.hpp"
#include "cpu/kernels/tiles.hpp"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {

constexpr size_t kLargeRow = 64;  // bytes

// How many rows ahead to prefetch: the latency of memory divided by the time for a row.
constexpr size_t RowsAhead(size_t bytes) {
  constexpr size_t kBytes = 4096, kLeast = 8;
  return bytes < kLargeRow ? 128 : HWY_MAX(kLeast, kBytes / bytes);
}

// No lambdas: GCC takes a lambda that only prefetches for one without an effect, and removes it.
struct ForReading {
  HWY_INLINE void operator()(const std::byte* line) const { hwy::Prefetch(line); }
};
struct ForWriting {
  HWY_INLINE void operator()(const std::byte* line) const { prefetch_for_writing(line); }
};

// Prefetches what is read a while later, if all is read from begin to end. The hardware prefetches
// only to the end of a page, which is not far enough.
HWY_INLINE void FetchLater(const void* here, size_t ahead = kBytesAhead) {
  hwy::Prefetch(reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(here) + ahead));
}

constexpr size_t kSeldomSpills = 16;  // bytes of rows that seldom lie in two lines

// Whether rows from `first` on, which begin `stride` bytes apart, touch one cache line more than
// they fill: all of them, or some if they begin anywhere in a line. A test per row mispredicts so
// often that it takes longer than to prefetch a line twice.
HWY_INLINE bool SpillOver(const std::byte* first, size_t bytes, int64_t stride) {
  if (bytes <= kSeldomSpills) return false;
  const size_t last = bytes - 1;
  return stride % static_cast<int64_t>(kLine) != 0 ||
         (reinterpret_cast<uintptr_t>(first) + last) % kLine < last % kLine;
}

// Prefetches each cache line of a row; if it `spills`, also the line of its last byte.
template <class F>
HWY_INLINE void PrefetchRow(const std::byte* row, size_t bytes, bool spills, F fetch) {
  constexpr size_t kMost = 1024;  // further on, the hardware follows by itself
  for (size_t i = 0; i < bytes && i < kMost; i += kLine) fetch(row + i);
  if (spills && bytes <= kMost) fetch(row + bytes - 1);
}

template <class O>
HWY_INLINE int64_t ByteOffset(O offset, int64_t scale) {
  return static_cast<int64_t>(offset) * scale;
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
