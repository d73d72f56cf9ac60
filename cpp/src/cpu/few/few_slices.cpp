#include "cpu/few/few_slices.hpp"

#include <algorithm>
#include <bit>

#include "core/kinds.hpp"
#include "core/layout.hpp"
#include "core/load_tuples.hpp"
#include "core/normalize_index.hpp"
#include "core/reductions.hpp"
#include "cpu/common/caches.hpp"
#include "cpu/common/tuning.hpp"
#include "cpu/kernels/targets.hpp"
#include "runtime/float_environment.hpp"

namespace gathernd {
namespace {

// Calls f(kernel, lanes) with the one of two kernels that takes such indices, if they are aligned.
// Returns how many tuples are done. 64-bit lanes multiply their lower 32 bits.
template <class I, class Narrow, class Wide, class F>
int64_t with_lanes(const std::byte* tuples, Narrow narrow, Wide wide, F f) {
  constexpr bool kLow = sizeof(I) == sizeof(int32_t) || std::endian::native == std::endian::little;
  if (!kLow || reinterpret_cast<uintptr_t>(tuples) % sizeof(I) != 0) return 0;
  const auto* const lanes = reinterpret_cast<const I*>(tuples);
  if constexpr (sizeof(I) == sizeof(int32_t)) {
    return static_cast<int64_t>(f(narrow, lanes));
  } else {
    return static_cast<int64_t>(f(wide, lanes));
  }
}

template <class I>
int64_t resolve_lanes(const TupleRule<I, uint32_t>& rule, const std::byte* tuples,
                      uint32_t* offsets, int64_t n) {
  const auto& k = kernels().move.narrow;
  return with_lanes<I>(tuples, k.resolve32, k.resolve64, [&](auto kernel, const I* lanes) {
    return kernel(rule, lanes, offsets, static_cast<size_t>(n));
  });
}

template <class I>
TupleRule<I, uint32_t> rule_of(size_t depth, Mode mode, bool wraps) {
  TupleRule<I, uint32_t> rule;
  rule.depth = static_cast<int>(depth), rule.mode = mode;
  rule.is_signed = true, rule.wraps = wraps || mode == Mode::kWrap, rule.simd = true;
  rule.batched = false, rule.ahead = kBytesAhead, rule.base = 0;
  return rule;
}

// Calls f with a value of the type of native signed indices of 32 or 64 bits; false for others.
template <class F>
bool with_index_type(const DType& dtype, F f) {
  if (!dtype.native || !has_size_of_kind(dtype)) return false;
  if (dtype.kind == Kind::kInt64) return f(int64_t{});
  return dtype.kind == Kind::kInt32 && f(int32_t{});
}

// Kernels for elements without gaps take 32-bit offsets, all others 64-bit ones.
void reduce_tile(const ReduceKernels& kernels, const ScatterTile<uint32_t>& tile, int64_t element) {
  const auto is_element = [&](int64_t bytes) { return bytes == element; };
  if (kernels.elements != nullptr && is_element(tile.scale) && is_element(tile.row_stride) &&
      is_element(static_cast<int64_t>(tile.bytes))) {
    return kernels.elements(tile);
  }
  constexpr size_t kStep = 512;
  uint64_t offsets[kStep];
  for (size_t t = 0; t < tile.n; t += kStep) {
    const size_t n = std::min(kStep, tile.n - t);
    std::copy_n(tile.offsets + t, n, offsets);
    kernels.combine({tile.table, tile.scale, tile.fetch, offsets, nullptr, n,
                     tile.rows + static_cast<int64_t>(t) * tile.row_stride, tile.row_stride,
                     tile.bytes});
  }
}

}  // namespace

FewSlices::FewSlices(const Tensor& table, std::span<const int64_t> outer, size_t depth,
                     size_t position)
    : table_(table),
      depth_(depth),
      are_simple_(table.strides.size() == table.shape.size() && has_size_of_kind(table.dtype) &&
                  find_rows(outer, position) && find_scale()) {
  if (are_simple_ && depth == 0) std::fill_n(offsets_, tuples_, 0);
}

FewSlices::FewSlices(const Tensor& table, std::span<const int64_t> outer, size_t depth,
                     const uint32_t* known, int64_t scale)
    : FewSlices(table, outer, depth) {
  known_ = known;
  scale_ = scale;
}

// How far apart the rows are, and the chunks of each. Returns false if they are none or many, or
// the shapes are of no array.
bool FewSlices::find_rows(std::span<const int64_t> outer, size_t position) {
  constexpr int64_t kChunks = 64;  // of a slice: each is a kernel's call
  const int64_t most = std::min(tuning().few_tuples, kTuples), most_bytes = tuning().few_bytes;
  const auto rest = table_.shape.subspan(depth_);
  if (rest.size() + outer.size() > size_t{kMaxRank}) return false;
  for (const int64_t size : outer) {
    if (size < 1 || size > most || (tuples_ *= size) > most) return false;
  }
  int64_t strides[kMaxRank], bytes = table_.dtype.size;
  for (size_t i = rest.size();; --i) {
    if (bytes > most_bytes) return false;
    if (i == position) row_stride_ = bytes, bytes *= tuples_;
    if (i == 0) break;
    strides[i - 1] = bytes;
    if (rest[i - 1] < 1 || rest[i - 1] > most_bytes) return false;
    bytes *= rest[i - 1];
  }
  if (bytes == 0 || bytes > most_bytes) return false;
  slice_ =
      make_slice(rest, table_.strides.subspan(depth_), {strides, rest.size()}, table_.dtype.size);
  return slice_.bytes <= kChunks * slice_.chunk;
}

// The unit in which offsets have 32 bits: a chunk, for which there are faster kernels, or a byte.
bool FewSlices::find_scale() {
  Extent extent;
  if (!find_extent(table_, &extent)) return false;
  scale_ = slice_.chunk;
  for (size_t k = 0; k < depth_; ++k) {
    const int64_t size = table_.shape[k], stride = table_.strides[k];
    if (size < 1 || size > INT32_MAX || stride < 0) return false;
    if (stride % slice_.chunk != 0) scale_ = 1;
  }
  is_cached_ = static_cast<uint64_t>(extent.high) <= half_cache() * kCachedHalves;
  return extent.high / scale_ <= UINT32_MAX;
}

bool FewSlices::resolve(const Tensor& tuples, Mode mode, bool wraps, std::byte* fresh_rows) {
  return with_index_type(tuples.dtype, [&]<class I>(I) {
    return resolve_tuples<I>(tuples.data, mode, wraps, fresh_rows);
  });
}

bool FewSlices::resolve_component(size_t k, const Tensor& index, Mode mode, bool wraps) {
  return with_index_type(index.dtype,
                         [&]<class I>(I) { return add_component<I>(k, index, mode, wraps); });
}

// Whether a kernel moves the rows as it resolves their tuples.
bool FewSlices::can_fuse() const {
  return depth_ > 0 && depth_ <= size_t{kShortTuple} && slice_.size.empty() &&
         (is_short_row(slice_.chunk) || is_pixel(slice_.chunk)) && scale_ == slice_.chunk &&
         row_stride_ == slice_.chunk;
}

template <class I>
bool FewSlices::resolve_tuples(const std::byte* tuples, Mode mode, bool wraps,
                               std::byte* fresh_rows) {
  auto rule = rule_of<I>(depth_, mode, wraps);
  for (size_t k = 0; k < depth_; ++k) {
    rule.dims[k] = static_cast<I>(table_.shape[k]);
    rule.strides[k] = unit(k);
  }
  const int64_t tuple_bytes = rule.depth * int64_t{sizeof(I)};
  if (fresh_rows != nullptr && can_fuse()) {
    const auto& k = kernels().move.narrow;
    constexpr bool kFetch = false;  // to prefetch so few rows takes longer than to wait for them
    const ShortRows rows{table_.data, kFetch, fresh_rows, chunk()};
    moved_ = with_lanes<I>(
        tuples, k.gather_short32, k.gather_short64,
        [&](auto kernel, const I* lanes) { return kernel(rule, lanes, rows, this->tuples()); });
  }
  const std::byte* const rest = tuples + moved_ * tuple_bytes;
  int64_t t = moved_ + resolve_lanes(rule, rest, offsets_ + moved_, tuples_ - moved_);
  for (; t < tuples_; ++t) {
    const std::byte* const tuple = tuples + t * tuple_bytes;
    uint32_t offset = 0;
    for (size_t k = 0; k < depth_; ++k) {
      int64_t i = 0;
      const int64_t value = read_once<I>(tuple + k * sizeof(I));
      if (!normalize_index(value, true, rule.wraps, rule.dims[k], mode, &i)) return false;
      offset += static_cast<uint32_t>(i) * rule.strides[k];
    }
    offsets_[t] = offset;
  }
  return true;
}

// Adds what component k adds to each offset; the first one sets them.
template <class I>
bool FewSlices::add_component(size_t k, const Tensor& index, Mode mode, bool wraps) {
  const int64_t size = table_.shape[k];
  auto rule = rule_of<I>(1, mode, wraps);
  rule.batched = k > 0;
  rule.dims[0] = static_cast<I>(size), rule.strides[0] = unit(k);
  bool is_good = true;
  uint32_t* offsets = offsets_;
  const auto add = [&](const std::byte* lanes, int64_t n) {
    for (int64_t t = resolve_lanes(rule, lanes, offsets, n); t < n; ++t) {
      int64_t i = 0;
      const int64_t value = read_once<I>(lanes + t * int64_t{sizeof(I)});
      is_good = is_good && normalize_index(value, true, rule.wraps, size, mode, &i);
      if (!is_good) return;
      offsets[t] = (k > 0 ? offsets[t] : 0) + static_cast<uint32_t>(i) * unit(k);
    }
    offsets += n;
  };
  for_each_run(make_walk(index.shape, index.strides), 0, tuples_,
               [&](int64_t offset, int64_t stride, int64_t n) {
                 const std::byte* data = index.data + offset;
                 if (stride == sizeof(I)) return add(data, n);
                 constexpr int64_t kLanes = 512;
                 I lanes[kLanes];
                 for (int64_t t = 0; is_good && t < n; t += kLanes) {
                   const int64_t count = std::min(kLanes, n - t);
                   for (int64_t j = 0; j < count; ++j, data += stride) {
                     lanes[j] = read_once<I>(data);
                   }
                   add(reinterpret_cast<const std::byte*>(lanes), count);
                 }
               });
  return is_good;
}

void FewSlices::gather(std::byte* rows) const {
  if (moved_ == tuples_) return;
  const bool is_seen_ahead = is_short_row(slice_.chunk) || is_cached_;
  rows += moved_ * row_stride_;
  for_each_chunk(slice_, [&](int64_t table, int64_t row) {
    kernels().move.narrow.gather({table_.data + table, scale_, is_seen_ahead, known_ + moved_,
                                  static_cast<size_t>(tuples_ - moved_), rows + row, row_stride_,
                                  chunk()});
  });
}

template <class F>
void FewSlices::for_each_tile(const std::byte* rows, F f) const {
  const Fetch fetch = is_cached_ ? Fetch::kNothing : Fetch::kTable;
  for_each_chunk(slice_, [&](int64_t table, int64_t row) {
    f(ScatterTile<uint32_t>{table_.data + table, scale_, fetch, known_, nullptr, tuples(),
                            rows + row, row_stride_, chunk()});
  });
}

void FewSlices::set(const std::byte* rows) const {
  for_each_tile(rows, kernels().move.narrow.scatter);
}

// Sums that are rounded once need an order of the tuples.
bool FewSlices::can_update(const DType& dtype, Reduction reduction, Duplicates duplicates) {
  if (dtype.fields != nullptr) return false;
  if (reduction == Reduction::kNone) {
    return duplicates == Duplicates::kLast || duplicates == Duplicates::kAny;
  }
  return duplicates == Duplicates::kLast && dtype.native && is_reducible(dtype.kind, reduction) &&
         !rounds_once(dtype.kind, reduction);
}

void FewSlices::reduce(const std::byte* rows, Reduction reduction) const {
  const DefaultFloatEnvironment environment;
  const ReduceKernels reduce = kernels().reduce(table_.dtype.kind, reduction);
  for_each_tile(rows, [&](const ScatterTile<uint32_t>& tile) {
    reduce_tile(reduce, tile, table_.dtype.size);
  });
}

}  // namespace gathernd
