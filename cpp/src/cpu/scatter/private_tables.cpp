#include "cpu/scatter/private_tables.hpp"

#include <algorithm>

#include "core/kinds.hpp"
#include "core/reductions.hpp"
#include "cpu/kernels/targets.hpp"
#include "cpu/kernels/words.hpp"
#include "cpu/scatter/scatter_mover.hpp"
#include "runtime/float_environment.hpp"
#include "runtime/settings.hpp"

namespace gathernd {
namespace {

// The bits of infinity, of a float of `size` bytes.
uint64_t infinity(Kind kind, int64_t size) {
  if (kind == Kind::kFloat16) return 0x7c00;
  if (kind == Kind::kBFloat16) return 0x7f80;
  return size == 4 ? 0x7f800000 : 0x7ff0000000000000;
}

bool is_float(const Plan& plan) { return facts_of(plan.dtype.kind).group == Group::kFloat; }

// The bits of the number that changes no other in the reduction.
template <class T>
T neutral_of(const Plan& plan) {
  constexpr auto kTop = static_cast<T>(T{1} << (8 * sizeof(T) - 1));
  constexpr auto kAllBits = static_cast<T>(~T{0});
  if (is_float(plan)) {
    const auto bits = static_cast<T>(infinity(plan.dtype.kind, plan.dtype.size));
    return static_cast<T>(plan.reduction == Reduction::kMax ? bits | kTop : bits);
  }
  const bool has_nat = is_time(plan.dtype.kind);  // below all other ticks, and never neutral
  const bool is_signed = is_signed_index(plan.dtype.kind) || has_nat;
  switch (facts_of(plan.reduction).neutral) {
    case Neutral::kZero:
      return 0;
    case Neutral::kOne:
      return 1;
    case Neutral::kAllBits:
      return kAllBits;
    case Neutral::kLeast:
      return static_cast<T>(is_signed ? kTop + has_nat : 0);
    case Neutral::kGreatest:
      return static_cast<T>(is_signed ? kTop - 1 : kAllBits);
  }
  return 0;
}

void fill_neutral(const Plan& plan, std::byte* table) {
  with_bits(plan.dtype.size, [&]<class T>(T) {
    std::fill_n(reinterpret_cast<T*>(table), plan.span, neutral_of<T>(plan));
  });
}

// Lists the places in a tile of a private table that are not neutral. Returns how many there are.
size_t find_changes(const Plan& plan, const std::byte* tile, size_t n, uint32_t* places) {
  return with_bits(plan.dtype.size, [&]<class T>(T) {
    const T neutral = neutral_of<T>(plan);
    size_t count = 0;
    for (size_t i = 0; i < n; ++i) {
      places[count] = static_cast<uint32_t>(i);
      count += reinterpret_cast<const T*>(tile)[i] != neutral;
    }
    return count;
  });
}

using ReduceBins = decltype(ReduceKernels::bins);

// Reduces the first of the tuples by the kernel, if there is one; returns how many.
template <class O>
int64_t reduce_bins(const Plan& plan, ReduceBins kernel, std::byte* table, const std::byte* rows,
                    int64_t first, int64_t n, const O* offsets) {
  if constexpr (sizeof(O) == 4) {
    if (kernel == nullptr) return 0;
    const int64_t stride = plan.row_walk.stride[0], size = plan.dtype.size;
    return static_cast<int64_t>(
        kernel({table, size, Fetch::kNothing, offsets, nullptr, static_cast<size_t>(n),
                rows + first * stride, stride, static_cast<size_t>(size)},
               plan.span));
  }
  return 0;
}

}  // namespace

// The kernel takes no holes.
bool fits_registers(const Plan& plan) {
  return plan.mode != Mode::kDrop && plan.span > 0 &&
         plan.span <= kernels().reduce(plan.dtype.kind, plan.reduction).most_bins;
}

template <class O>
PrivateTables<O>::PrivateTables(const Plan& plan, int64_t parts, OffsetsOf<O> offsets_of,
                                const std::byte* rows)
    : plan_(plan),
      parts_(parts),
      bytes_(static_cast<int64_t>(plan.span) * plan.dtype.size),
      tables_(parts, bytes_) {
  const ReduceBins bins =
      fits_registers(plan) ? kernels().reduce(plan.dtype.kind, plan.reduction).bins : nullptr;
  const auto start = [&](int64_t p) {
    std::byte* own = tables_.of(p);
    fill_neutral(plan, own);
    const ScatterMover<O> mover(plan, own, rows, {plan.slice});
    return [&plan, own, rows, mover, bins](int64_t first, int64_t n, const O* offsets) {
      const DefaultFloatEnvironment environment;
      const int64_t done = reduce_bins(plan, bins, own, rows, first, n, offsets);
      mover.move_block(first + done, offsets + done, n - done, 0, static_cast<O>(plan.span));
    };
  };
  if (order_shows(plan.dtype.kind, plan.reduction)) {
    for_each_tile<O>(plan, parts, offsets_of, start);
  } else {
    for_each_tile_in_any_order<O>(plan, parts, offsets_of, start);
  }
}

template <class O>
void PrivateTables<O>::write(std::byte* table) {
  const int64_t size = plan_.dtype.size;
  const ReduceKernels reduce = kernels().reduce(plan_.dtype.kind, plan_.reduction);
  parallel_for(bytes_ / size, grain_for(size), kTile, [&](int64_t begin, int64_t end) {
    const DefaultFloatEnvironment environment;
    uint32_t places[kTile];
    for (int64_t tile = begin; tile < end; tile += kTile) {
      const auto n = static_cast<size_t>(std::min(kTile, end - tile));
      std::byte* first = tables_.of(0) + tile * size;
      for (int64_t p = 1; p < parts_; ++p) {
        reduce.combine_run(first, tables_.of(p) + tile * size, n * static_cast<size_t>(size));
      }
      const size_t changes = find_changes(plan_, first, n, places);
      reduce.elements({table + tile * size, size, Fetch::kNothing, places, places, changes, first,
                       size, static_cast<size_t>(size)});
    }
  });
}

template class PrivateTables<uint32_t>;
template class PrivateTables<uint64_t>;

}  // namespace gathernd
