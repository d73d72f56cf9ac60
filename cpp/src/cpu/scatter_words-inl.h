// Packed words into the table, in the order of the tuples. Included once a target by the files of
// rows.

#if defined(GATHERND_SCATTER_WORDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_SCATTER_WORDS_INL_H_
#undef GATHERND_SCATTER_WORDS_INL_H_
#else
#define GATHERND_SCATTER_WORDS_INL_H_
#endif

#include <cstring>

#include "cpu/fetch-inl.h"
#include "cpu/kernels.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {

// Whether the tile is words that follow each other, into a table of nothing else.
template <size_t kBytes, class O>
HWY_INLINE bool HasWords(const ScatterTile<O>& tile) {
  constexpr auto kUnit = static_cast<int64_t>(kBytes);
  return tile.positions == nullptr && tile.scale == kUnit && tile.row_stride == kUnit;
}

// Calls f(to, word) for each update of the tile, in order. Several are loaded before the first is
// stored: a processor with many stores under way takes some of them, whose addresses end with the
// same bits, for those that a load needs, and waits.
template <class T, class O, class F>
HWY_INLINE void ForEachWord(const ScatterTile<O> tile, F f) {
  constexpr size_t kBatch = 4, kAhead = RowsAhead(sizeof(T));
  const auto target = [&](O offset) {
    return tile.table + static_cast<size_t>(offset) * sizeof(T);
  };
  const auto move = [&](size_t i, size_t n) HWY_ATTR {
    O offsets[kBatch];
    T words[kBatch];
    for (size_t k = 0; k < n; ++k) {
      offsets[k] = tile.offsets[i + k];
      std::memcpy(&words[k], tile.rows + (i + k) * sizeof(T), sizeof(T));
    }
    for (size_t k = 0; k < n; ++k) f(target(offsets[k]), words[k]);
  };
  size_t i = 0;
  if (tile.fetch != Fetch::kNothing) {
    for (size_t a = 0; a < HWY_MIN(kAhead, tile.n); ++a) ForWriting()(target(tile.offsets[a]));
    for (; i + kAhead + kBatch <= tile.n; i += kBatch) {
      for (size_t k = 0; k < kBatch; ++k) ForWriting()(target(tile.offsets[i + kAhead + k]));
      move(i, kBatch);
    }
  }
  for (; i + kBatch <= tile.n; i += kBatch) move(i, kBatch);
  for (; i < tile.n; ++i) move(i, 1);
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
