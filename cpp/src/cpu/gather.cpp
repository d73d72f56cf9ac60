#include "cpu/gather.hpp"

#include <algorithm>

#include "cpu/buffer.hpp"
#include "cpu/kernels.hpp"
#include "cpu/parallel_for.hpp"
#include "cpu/resolve.hpp"
#include "cpu/settings.hpp"
#include "cpu/slices.hpp"
#include "hwy/cache_control.h"
#include "layout.hpp"

namespace gathernd {
namespace {

constexpr int64_t kBlock = 16384;      // bytes: half of the smallest first-level cache
constexpr int64_t kLong = kBlock / 8;  // of a row that needs no block

// Halves of a core's cache up to which single elements come no sooner if they are fetched ahead
// while their tuples are resolved: a processor looks far enough ahead itself. Where the offsets are
// known it does not: on a Xeon, elements beyond the half took three times as long without.
constexpr uint64_t kNear = 16;

// Whether the result is larger than the caches, or a core's share of them where that is no detour:
// to write it past them saves reading what it replaces.
bool is_streamed(const Plan& plan, const Slice& slice) {
  const int64_t caches = int64_t{slice.chunk > kLong ? 8 : 32} << 20;  // bytes
  return slice.size.empty() && slice.chunk > 0 && plan.tuples >= caches / slice.chunk;
}

// Copies slices, or one part of each, to the rows of the tuples.
template <class O>
class GatherMover {
 public:
  GatherMover(const Plan& plan, const std::byte* table, std::byte* rows, const std::byte* fill,
              const SlicePart& part)
      : plan_(plan),
        table_(table + plan.bias + part.table_offset),
        rows_(rows + part.row_offset),
        fill_(fill),
        slice_(part.slice),
        kernels_(width_of<O>(kernels().move)),
        stream_(kernels().move.stream),
        cached_(is_cached(plan)),
        streamed_(is_streamed(plan, part.slice)) {}

  // The offsets of the tuples [first, first + n).
  void move(int64_t first, int64_t n, const O* offsets) const {
    for_each_run(plan_.row_walk, first, n, [&](int64_t offset, int64_t stride, int64_t count) {
      if (plan_.mode == Mode::kFill) {
        move_with_holes(offsets, count, rows_ + offset, stride);
      } else if (streamed_ && stride == slice_.chunk) {
        move_streamed(offsets, count, rows_ + offset);
      } else {
        move_run(offsets, count, rows_ + offset, stride);
      }
      offsets += count;
    });
  }

 private:
  void move_with_holes(const O* offsets, int64_t n, std::byte* row, int64_t stride) const {
    for (int64_t t = 0; t < n;) {
      const O* hole = std::find(offsets + t, offsets + n, kNoSlice<O>);
      const int64_t until = hole - offsets;
      move_run(offsets + t, until - t, row + t * stride, stride);
      for (t = until; t < n && offsets[t] == kNoSlice<O>; ++t) {
        fill_row(slice_, row + t * stride, fill_, static_cast<size_t>(plan_.dtype.size));
      }
    }
  }

  // Packed rows, past the caches: long ones as they are, shorter ones by way of a block of many.
  void move_streamed(const O* offsets, int64_t n, std::byte* row) const {
    const auto bytes = static_cast<size_t>(slice_.chunk);
    if (slice_.chunk > kLong) {
      for (int64_t t = 0; t < n; ++t) {
        const std::byte* from = table_ + static_cast<int64_t>(offsets[t]) * plan_.scale;
        stream_(row + t * slice_.chunk, from, bytes);
      }
    } else {
      alignas(64) std::byte block[kBlock];
      const int64_t most = kBlock / slice_.chunk;
      for (int64_t t = 0; t < n; t += most) {
        const auto count = static_cast<size_t>(std::min(most, n - t));
        kernels_.gather({table_, plan_.scale, cached_, offsets + t, count,
                         static_cast<size_t>(n - t), block, slice_.chunk, bytes});
        stream_(row + t * slice_.chunk, block, count * bytes);
      }
    }
    hwy::FlushStream();
  }

  void move_run(const O* offsets, int64_t n, std::byte* row, int64_t stride) const {
    if (slice_.size.empty()) {
      const auto count = static_cast<size_t>(n);
      kernels_.gather({table_, plan_.scale, cached_, offsets, count, count, row, stride,
                       static_cast<size_t>(slice_.chunk)});
      return;
    }
    for (int64_t t = 0; t < n; ++t, row += stride) {
      copy_to_row(slice_, table_ + static_cast<int64_t>(offsets[t]) * plan_.scale, row);
    }
  }

  const Plan& plan_;
  const std::byte* table_;
  std::byte* rows_;
  const std::byte* fill_;
  Slice slice_;
  const KernelsOf<O>& kernels_;
  void (*stream_)(std::byte*, const std::byte*, size_t);
  bool cached_, streamed_;
};

// Whether single elements can be moved as their tuples are resolved, with none fetched ahead.
bool is_fused(const Plan& plan) {
  return has_packed_words(plan) && plan.mode != Mode::kFill && fits_cache(plan, kNear);
}

// Threads take whole tiles, or parts of one where the slices are long.
int64_t step(const Plan& plan) {
  constexpr int64_t kBytes = 1 << 16;
  return std::clamp(kBytes / plan.slice.bytes, int64_t{1}, kTile);
}

// Few tuples with long slices: each thread takes a part of every slice.
bool by_columns(const Plan& plan) {
  return plan.tuples < int64_t{4} * num_threads() && plan.slice.bytes >= 1 << 16;
}

}  // namespace

template <class O>
void gather(const Plan& plan, const Tensor& input, const Tensor& indices, const Tensor& output,
            const std::byte* fill_value, bool fresh) {
  if (plan.slice.bytes == 0) return resolve_all<O>(plan, indices.data, nullptr);
  if (fresh && !by_columns(plan)) {
    const Resolver<O> resolver(plan, indices.data);
    const GatherMover<O> mover(plan, input.data, output.data, fill_value, {plan.slice});
    const std::byte* table = input.data + plan.bias;
    const bool fused = is_fused(plan);
    FirstBad first_bad;
    parallel_for(
        plan.tuples, grain_for(plan.slice.bytes), step(plan), [&](int64_t begin, int64_t end) {
          O offsets[kTile];
          for (int64_t first = begin; first < end; first += kTile) {
            const int64_t n = std::min(kTile, end - first);
            const int64_t done = fused ? resolver.gather_elements(first, n, plan.slice.bytes, table,
                                                                  output.data + first * plan.scale)
                                       : 0;
            if (!resolver.resolve(first + done, n - done, offsets, &first_bad)) return;
            mover.move(first + done, n - done, offsets);
          }
        });
    return first_bad.throw_if_any(plan);
  }

  // Nothing may be written before every tuple is known to be good.
  const Buffer<O> offsets(static_cast<size_t>(plan.tuples));
  resolve_all(plan, indices.data, offsets.data());
  gather_resolved(plan, input, offsets.data(), output, fill_value);
}

template <class O>
void gather_resolved(const Plan& plan, const Tensor& input, const O* offsets, const Tensor& output,
                     const std::byte* fill_value) {
  if (plan.slice.bytes == 0) return;
  if (by_columns(plan)) {
    const int64_t parts = num_threads();
    parallel_parts(parts, [&](int64_t p) {
      const SlicePart part = cut_slice(plan.slice, plan.dtype.size, p, parts);
      if (part.slice.bytes == 0) return;
      GatherMover<O>(plan, input.data, output.data, fill_value, part).move(0, plan.tuples, offsets);
    });
    return;
  }
  const GatherMover<O> mover(plan, input.data, output.data, fill_value, {plan.slice});
  parallel_for(
      plan.tuples, grain_for(plan.slice.bytes), step(plan),
      [&](int64_t begin, int64_t end) { mover.move(begin, end - begin, offsets + begin); });
}

template void gather<uint32_t>(const Plan&, const Tensor&, const Tensor&, const Tensor&,
                               const std::byte*, bool);
template void gather<uint64_t>(const Plan&, const Tensor&, const Tensor&, const Tensor&,
                               const std::byte*, bool);
template void gather_resolved(const Plan&, const Tensor&, const uint32_t*, const Tensor&,
                              const std::byte*);
template void gather_resolved(const Plan&, const Tensor&, const uint64_t*, const Tensor&,
                              const std::byte*);

}  // namespace gathernd
