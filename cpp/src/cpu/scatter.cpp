#include "cpu/scatter.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "cpu/buffer.hpp"
#include "cpu/float_environment.hpp"
#include "cpu/kernels.hpp"
#include "cpu/order.hpp"
#include "cpu/parallel_for.hpp"
#include "cpu/reduce_sorted.hpp"
#include "cpu/resolve.hpp"
#include "cpu/settings.hpp"
#include "cpu/slices.hpp"
#include "layout.hpp"

namespace gathernd {
namespace {

constexpr size_t kRoom = 64;  // lanes that partition may write past what it keeps

// 0, 1, 2 ...: the positions of a tile of which nothing is left out.
const std::array<uint32_t, kTile>& in_order() {
  static const auto kPositions = [] {
    std::array<uint32_t, kTile> positions;
    std::iota(positions.begin(), positions.end(), 0u);
    return positions;
  }();
  return kPositions;
}

// Writes or combines updates, or one part of each, in C order (for `first`: backwards, so that
// the first one stays).
template <class O>
class ScatterMover {
 public:
  ScatterMover(const Plan& plan, std::byte* table, const std::byte* rows, const SlicePart& part)
      : plan_(plan),
        table_(table + plan.bias + part.table_offset),
        rows_(rows + part.row_offset),
        slice_(part.slice),
        kernels_(width_of<O>(kernels().move)),
        combine_(kernels().reduce(plan.dtype.kind, plan.reduction)),
        cached_(is_cached(plan)) {}

  // The tuples of the whole call that address [low, high).
  void move(const O* offsets, O low, O high) const {
    const bool backwards = plan_.duplicates == Duplicates::kFirst;
    const int64_t tiles = (plan_.tuples + kTile - 1) / kTile;
    for (int64_t i = 0; i < tiles; ++i) {
      const int64_t first = (backwards ? tiles - 1 - i : i) * kTile;
      const int64_t n = std::min(kTile, plan_.tuples - first);
      move_tile(first, offsets + first, n, low, high, backwards);
    }
  }

 private:
  void move_tile(int64_t first, const O* offsets, int64_t n, O low, O high, bool backwards) const {
    const bool all = low == 0 && high == plan_.span && plan_.mode != Mode::kDrop && !backwards;
    if (all) return move_kept(first, offsets, in_order().data(), static_cast<size_t>(n));
    O kept[kTile + kRoom];
    uint32_t positions[kTile + kRoom];
    const auto count =
        kernels_.partition(offsets, static_cast<size_t>(n), low, high, kept, positions);
    if (backwards) {
      std::reverse(kept, kept + count);
      std::reverse(positions, positions + count);
    }
    move_kept(first, kept, positions, count);
  }

  void move_kept(int64_t first, const O* offsets, const uint32_t* positions, size_t n) const {
    const Walk& walk = plan_.row_walk;
    if (walk.size.size() <= 1) {
      const int64_t stride = walk.size.empty() ? 0 : walk.stride[0];
      return move_run({table_, plan_.scale, cached_, offsets, positions, n, rows_ + first * stride,
                       stride, static_cast<size_t>(slice_.chunk)});
    }
    const uint32_t zero = 0;
    for (size_t i = 0; i < n; ++i) {
      for_each_run(walk, first + positions[i], 1, [&](int64_t offset, int64_t, int64_t) {
        move_run({table_, plan_.scale, cached_, offsets + i, &zero, 1, rows_ + offset, 0,
                  static_cast<size_t>(slice_.chunk)});
      });
    }
  }

  void move_run(const ScatterTile<O>& tile) const {
    if (slice_.size.empty()) return combine_ ? combine(tile) : kernels_.scatter(tile);
    const uint64_t origin = 0;
    const uint32_t zero = 0;
    for (size_t i = 0; i < tile.n; ++i) {
      std::byte* to = table_ + static_cast<int64_t>(tile.offsets[i]) * plan_.scale;
      const std::byte* from = tile.rows + static_cast<int64_t>(tile.positions[i]) * tile.row_stride;
      if (!combine_) {
        copy_to_table(slice_, from, to);
        continue;
      }
      for_each_chunk(slice_, [&](int64_t table_offset, int64_t row_offset) {
        combine_({to + table_offset, 0, true, &origin, &zero, 1, from + row_offset, 0, tile.bytes});
      });
    }
  }

  void combine(const ScatterTile<O>& tile) const {
    if constexpr (sizeof(O) == 8) {
      combine_(tile);
    } else {
      uint64_t offsets[kTile];
      std::copy_n(tile.offsets, tile.n, offsets);
      combine_({tile.table, tile.scale, tile.cached, offsets, tile.positions, tile.n, tile.rows,
                tile.row_stride, tile.bytes});
    }
  }

  const Plan& plan_;
  std::byte* table_;
  const std::byte* rows_;
  Slice slice_;
  const KernelsOf<O>& kernels_;
  ReduceFn combine_;  // null for plain writes
  bool cached_;
};

// No two threads write one byte: each has its own part of every slice where slices are long, else
// its own part of the table, and goes through all tuples in order.
template <class O>
void write_all(const Plan& plan, const O* offsets, std::byte* table, const std::byte* rows) {
  const int64_t parts = count_parts(plan.tuples, grain_for(plan.slice.bytes), num_threads());
  const auto span = static_cast<O>(plan.span);
  const bool by_columns = plan.slice.bytes >= 1024 * parts;
  if (by_columns || parts == 1) {
    const int64_t elements =
        plan.slice.size.empty() ? plan.slice.chunk / plan.dtype.size : plan.slice.size[0];
    const int64_t column_grain = std::max<int64_t>(64, grain_for(1) / plan.tuples);
    const int64_t columns = std::min(
        by_columns ? count_parts(plan.slice.bytes, column_grain, num_threads()) : 1, elements);
    return parallel_parts(columns, [&](int64_t p) {
      const DefaultFloatEnvironment environment;
      const SlicePart part = cut_slice(plan.slice, plan.dtype.size, p, columns);
      ScatterMover<O>(plan, table, rows, part).move(offsets, 0, span);
    });
  }
  parallel_parts(parts, [&](int64_t p) {
    const DefaultFloatEnvironment environment;
    const auto at = [&](int64_t q) {
      const auto share = plan.span / static_cast<uint64_t>(parts);
      return static_cast<O>(q == parts ? plan.span : share * static_cast<uint64_t>(q));
    };
    ScatterMover<O>(plan, table, rows, {plan.slice}).move(offsets, at(p), at(p + 1));
  });
}

}  // namespace

template <class O>
void scatter(const Plan& plan, const Tensor& input, const Tensor& indices, const Tensor& updates,
             const Tensor& output) {
  const Buffer<O> offsets(static_cast<size_t>(plan.tuples));
  resolve_all(plan, indices.data, offsets.data());
  std::vector<Destination<O>> sorted;
  if (needs_sorting(plan) || plan.duplicates == Duplicates::kError) {
    sorted = sort_by_destination(offsets.data(), plan.tuples);
  }
  scatter_resolved<O>(plan, input, offsets.data(), sorted, updates, output);
}

template <class O>
void scatter_resolved(const Plan& plan, const Tensor& input, const O* offsets,
                      std::span<const Destination<O>> sorted, const Tensor& updates,
                      const Tensor& output) {
  int64_t first, second;
  if (plan.duplicates == Duplicates::kError && find_duplicate(sorted, &first, &second)) {
    throw_duplicate(plan, first, second);
  }
  if (output.data != input.data) copy_tensor(input, output);
  if (plan.tuples == 0 || plan.slice.bytes == 0) return;
  if (needs_sorting(plan)) {
    reduce_sorted(plan, sorted, output.data, updates.data);
  } else {
    write_all(plan, offsets, output.data, updates.data);
  }
}

template void scatter<uint32_t>(const Plan&, const Tensor&, const Tensor&, const Tensor&,
                                const Tensor&);
template void scatter<uint64_t>(const Plan&, const Tensor&, const Tensor&, const Tensor&,
                                const Tensor&);

template void scatter_resolved(const Plan&, const Tensor&, const uint32_t*,
                               std::span<const Destination<uint32_t>>, const Tensor&,
                               const Tensor&);
template void scatter_resolved(const Plan&, const Tensor&, const uint64_t*,
                               std::span<const Destination<uint64_t>>, const Tensor&,
                               const Tensor&);

}  // namespace gathernd
