// Stores packed words into the table, in the order of the tuples. Included once per target by the
// files of rows.

#if defined(GATHERND_SCATTER_WORDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_SCATTER_WORDS_INL_H_
#undef GATHERND_SCATTER_WORDS_INL_H_
#else
#define GATHERND_SCATTER_WORDS_INL_H_
#endif

#include <cstring>

#include "cpu/kernels/fetch-inl.h"
#include "cpu/kernels/kernels.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {

// Calls f(to, word) for each update of the tile, in order; word(i) is update i.
template <class T, class O, class W, class F>
HWY_INLINE void ForEachWordOf(const ScatterTile<O> tile, W word, F f) {
  constexpr size_t kBatch = 4, kAhead = RowsAhead(sizeof(T));
  const auto target = [&](size_t i) {
    return tile.table + static_cast<size_t>(tile.offsets[i]) * sizeof(T);
  };
  // Several are loaded before the first is stored. This avoids false store-to-load dependencies: a
  // load stalls on an older store whose address has the same low bits.
  const auto move = [&](size_t i, size_t n) HWY_ATTR {
    std::byte* targets[kBatch];
    T words[kBatch];
    for (size_t k = 0; k < n; ++k) {
      targets[k] = target(i + k);
      std::memcpy(&words[k], word(i + k), sizeof(T));
    }
    for (size_t k = 0; k < n; ++k) f(targets[k], words[k]);
  };
  const bool both = tile.fetch == Fetch::kBoth;
  const auto fetch = [&](size_t i) HWY_ATTR {
    ForWriting()(target(i));
    if (both) ForReading()(word(i));
  };
  size_t i = 0;
  if (tile.fetch != Fetch::kNothing) {
    for (size_t a = 0; a < HWY_MIN(kAhead, tile.n); ++a) fetch(a);
    for (; i + kAhead + kBatch <= tile.n; i += kBatch) {
      for (size_t k = 0; k < kBatch; ++k) fetch(i + kAhead + k);
      move(i, kBatch);
    }
  }
  for (; i + kBatch <= tile.n; i += kBatch) move(i, kBatch);
  for (; i < tile.n; ++i) move(i, 1);
}

// The same for words that are listed by their positions, or that come in order.
template <class T, class O, class F>
HWY_INLINE void ForEachWord(const ScatterTile<O> tile, F f) {
  if (tile.positions == nullptr) {
    return ForEachWordOf<T>(tile, [=](size_t i) { return tile.rows + i * sizeof(T); }, f);
  }
  ForEachWordOf<T>(
      tile, [=](size_t i) { return tile.rows + size_t{tile.positions[i]} * sizeof(T); }, f);
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
