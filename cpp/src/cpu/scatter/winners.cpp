#include "cpu/scatter/winners.hpp"

#include <algorithm>

#include "cpu/common/caches.hpp"
#include "cpu/scatter/scatter_mover.hpp"
#include "runtime/settings.hpp"

namespace gathernd {

template <class O>
Winners<O>::Winners(const Plan& plan, int64_t parts, OffsetsOf<O> offsets_of)
    : plan_(plan),
      parts_(parts),
      span_(static_cast<int64_t>(plan.span)),
      first_wins_(plan.duplicates == Duplicates::kFirst),
      tables_(parts, span_) {
  for_each_tile<O>(plan, parts, offsets_of, [&](int64_t p) {
    uint32_t* const own = tables_.of(p);
    std::fill_n(own, span_, 0);
    const uint64_t span = plan.span;
    const bool first_wins = first_wins_;
    return [=](int64_t first, int64_t n, const O* offsets) {
      for (int64_t i = 0; i < n; ++i) {
        if (offsets[i] >= span) continue;
        uint32_t& winner = own[offsets[i]];
        if (first_wins && winner != 0) continue;
        winner = static_cast<uint32_t>(first + i) + 1;
      }
    };
  });
}

template <class O>
uint32_t Winners<O>::winner_of(int64_t slice) const {
  uint32_t winner = 0;
  for (int64_t i = 0; i < parts_ && winner == 0; ++i) {
    winner = tables_.of(first_wins_ ? i : parts_ - 1 - i)[slice];
  }
  return winner;
}

template <class O>
template <class P>
size_t Winners<O>::list(int64_t begin, int64_t end, O* slices, P* positions) const {
  size_t n = 0;
  for (int64_t slice = begin; slice < end; ++slice) {
    const uint32_t winner = winner_of(slice);
    if (winner == 0) continue;
    slices[n] = static_cast<O>(slice);
    positions[n++] = static_cast<P>(winner - 1);
  }
  return n;
}

template <class O>
void Winners<O>::write(std::byte* table, const std::byte* rows) const {
  const ScatterMover<O> mover(plan_, table, rows, {plan_.slice});
  // The other threads' tables are in their caches.
  const int64_t grain = grain_for(plan_.slice.bytes + kCacheLine);
  parallel_for(span_, grain, 1, [&](int64_t begin, int64_t end) {
    O slices[kTile];
    uint32_t positions[kTile];
    for (int64_t tile = begin; tile < end; tile += kTile) {
      const size_t n = list(tile, std::min(end, tile + kTile), slices, positions);
      mover.move_listed(0, slices, positions, n);
    }
  });
}

template <class O>
KeptWinners<O>::KeptWinners(const Plan& plan, std::span<const O> offsets)
    : span_(static_cast<size_t>(plan.span)), slices_(span_), positions_(span_) {
  const auto known = [&](int64_t first, int64_t, O*) { return offsets.data() + first; };
  const Winners<O> winners(plan, 1, known);
  n_ = winners.list(0, static_cast<int64_t>(span_), slices_.data(), positions_.data());
}

template <class O>
void KeptWinners<O>::write(const Plan& plan, std::byte* table, const std::byte* rows) const {
  const ScatterMover<O> mover(plan, table, rows, {plan.slice}, false);
  parallel_for(static_cast<int64_t>(n_), grain_for(plan.slice.bytes), 1,
               [&](int64_t begin, int64_t end) {
                 const auto first = static_cast<size_t>(begin);
                 mover.move(tuples().range(first, static_cast<size_t>(end) - first));
               });
}

template class Winners<uint32_t>;
template class Winners<uint64_t>;
template class KeptWinners<uint32_t>;
template class KeptWinners<uint64_t>;

}  // namespace gathernd
