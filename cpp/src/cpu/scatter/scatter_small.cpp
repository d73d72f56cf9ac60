#include "cpu/scatter/scatter_small.hpp"

#include <algorithm>

#include "cpu/common/caches.hpp"
#include "cpu/common/slices.hpp"
#include "cpu/scatter/scatter_mover.hpp"
#include "cpu/scatter/small_tables.hpp"
#include "runtime/buffer.hpp"
#include "runtime/settings.hpp"

namespace gathernd {
namespace {

// Whether the order of the updates does not show in the result, to the last bit.
bool is_exact(const Plan& plan) {
  const Reduction r = plan.reduction;
  // A sum of times stays NaT once it has come to it, whatever is added then.
  if (is_time(plan.dtype.kind)) return r == Reduction::kMin || r == Reduction::kMax;
  return is_index(plan.dtype.kind) && r != Reduction::kSub;
}

// Whether the table is single elements without a gap, and so are the updates.
bool is_packed(const Plan& plan) {
  uint64_t slices = 1;
  for (const int64_t n : plan.dims) slices *= static_cast<uint64_t>(n);  // no more than memory has
  for (int d = 0; d < plan.batch_dims; ++d) slices *= static_cast<uint64_t>(plan.positions[d]);
  return slices == plan.span && plan.bias == 0 && has_packed_rows(plan) &&
         plan.slice.bytes == plan.dtype.size;
}

// Each thread finds the last, or first, of its tuples for each slice; then each is written once.
template <class O>
void write_winners(const Plan& plan, int64_t parts, OffsetsOf<O> offsets_of,
                   FunctionRef<void()> ready, std::byte* table, const std::byte* rows) {
  const auto span = static_cast<int64_t>(plan.span);
  const bool first_wins = plan.duplicates == Duplicates::kFirst;
  const Buffer<uint32_t> winners(static_cast<size_t>(parts * span));  // positions + 1, or 0
  for_each_tile<O>(plan, parts, offsets_of, [&](int64_t p) {
    uint32_t* own = winners.data() + p * span;
    std::fill_n(own, span, 0);
    return [=](int64_t first, int64_t n, const O* offsets) {
      for (int64_t i = 0; i < n; ++i) {
        if (offsets[i] >= static_cast<uint64_t>(span)) continue;
        uint32_t& winner = own[offsets[i]];
        if (first_wins && winner != 0) continue;
        winner = static_cast<uint32_t>(first + i) + 1;
      }
    };
  });
  ready();
  const auto winner_of = [&](int64_t slice) {
    uint32_t winner = 0;
    for (int64_t i = 0; i < parts && winner == 0; ++i) {
      winner = winners.data()[(first_wins ? i : parts - 1 - i) * span + slice];
    }
    return winner;
  };
  const ScatterMover<O> mover(plan, table, rows, {plan.slice});
  // The other threads' tables are in their caches.
  const int64_t grain = grain_for(plan.slice.bytes + kCacheLine);
  parallel_for(span, grain, 1, [&](int64_t begin, int64_t end) {
    O kept[kTile];
    uint32_t positions[kTile];
    for (int64_t tile = begin; tile < end; tile += kTile) {
      size_t n = 0;
      for (int64_t slice = tile; slice < std::min(end, tile + kTile); ++slice) {
        const uint32_t winner = winner_of(slice);
        if (winner == 0) continue;
        kept[n] = static_cast<O>(slice);
        positions[n++] = winner - 1;
      }
      mover.move_listed(0, kept, positions, n);
    }
  });
}

}  // namespace

int64_t count_small_tables(const Plan& plan) {
  constexpr int64_t kMostBytes = 256 * 1024;  // of a table: a part of a core's own cache
  constexpr int64_t kLong = 64;  // bytes of a row that one thread had better write once
  const bool sets = plan.reduction == Reduction::kNone;
  if (sets ? plan.tuples >= UINT32_MAX : !is_exact(plan) || !is_packed(plan)) return 0;
  const int64_t bytes = sets ? int64_t{sizeof(uint32_t)} : plan.dtype.size;
  if (plan.span > static_cast<uint64_t>(kMostBytes / bytes) || plan.slice.bytes == 0) return 0;
  if (count_columns(plan) > 1) return 0;
  // A table is gone through twice; by then each of its slices should have had a tuple.
  const auto least = static_cast<int64_t>(plan.span);
  const int64_t tables =
      count_parts(plan.tuples, std::max(least, grain_for(plan.slice.bytes)), num_threads());
  return tables > 1 || (sets && plan.slice.bytes >= kLong && plan.tuples >= 4 * least) ? tables : 0;
}

template <class O>
void scatter_small(const Plan& plan, int64_t tables, OffsetsOf<O> offsets_of,
                   FunctionRef<void()> ready, std::byte* table, const std::byte* rows) {
  const bool sets = plan.reduction == Reduction::kNone;
  const auto scatter = sets ? write_winners<O> : combine_tables<O>;
  scatter(plan, tables, offsets_of, ready, table, rows);
}

template void scatter_small(const Plan&, int64_t, OffsetsOf<uint32_t>, FunctionRef<void()>,
                            std::byte*, const std::byte*);
template void scatter_small(const Plan&, int64_t, OffsetsOf<uint64_t>, FunctionRef<void()>,
                            std::byte*, const std::byte*);

}  // namespace gathernd
