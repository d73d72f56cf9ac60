#include "at_brief.hpp"

#include <algorithm>

#include "core/layout.hpp"
#include "core/load_tuples.hpp"
#include "core/normalize_index.hpp"
#include "core/overlap.hpp"
#include "core/reductions.hpp"
#include "cpu/common/slices.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/targets.hpp"
#include "runtime/float_environment.hpp"

namespace gathernd::bindings {
namespace {

// The most tuples, bytes of all slices, and chunks of a slice, each of which is a kernel's call.
constexpr int64_t kTuples = 4096, kBytes = 32768, kChunks = 64;

// Few slices of a table, one for each tuple. They are the rows of an array in C order.
class BriefSlices {
 public:
  BriefSlices(const Frame& frame, const Tensor& table)
      : frame_(frame), table_(table), is_brief_(find_rows() && find_scale()) {}

  bool is_brief() const { return is_brief_; }

  // Reads each index once. Returns false if one is out of range, or has a rare type or layout.
  bool resolve(Mode mode, bool wraps) {
    if (frame_.depth() == 0) std::fill_n(offsets_, tuples_, 0);
    for (int k = 0; k < frame_.depth(); ++k) {
      const py::object& index = frame_.component(k).array;
      if (!index) return false;
      const ArrayView array(py::reinterpret_borrow<py::array>(index), "at", "indices");
      const Tensor& given = array.tensor();
      if (!given.dtype.native) return false;
      const bool good =
          given.dtype.kind == Kind::kInt64   ? add_component<int64_t>(k, given, mode, wraps)
          : given.dtype.kind == Kind::kInt32 ? add_component<int32_t>(k, given, mode, wraps)
                                             : false;
      if (!good) return false;
    }
    return true;
  }

  // Calls f(tile) for one chunk of all slices after the other.
  template <class F>
  void for_each_gather(std::byte* rows, F f) const {
    for_each_chunk(slice_, [&](int64_t table, int64_t row) {
      f(GatherTile<uint32_t>{table_.data + table, scale_, true, offsets_, tuples(), rows + row,
                             row_stride_, chunk()});
    });
  }
  template <class F>
  void for_each_scatter(const std::byte* rows, F f) const {
    for_each_chunk(slice_, [&](int64_t table, int64_t row) {
      f(ScatterTile<uint32_t>{table_.data + table, scale_, Fetch::kNothing, offsets_, nullptr,
                              tuples(), rows + row, row_stride_, chunk()});
    });
  }

 private:
  size_t tuples() const { return static_cast<size_t>(tuples_); }
  size_t chunk() const { return static_cast<size_t>(slice_.chunk); }

  // How far apart the rows are, and the chunks of each. Returns false if they are none or many.
  bool find_rows() {
    const auto depth = static_cast<size_t>(frame_.depth());
    const auto position = static_cast<size_t>(frame_.selection().position());
    const auto rest = table_.shape.subspan(depth);
    if (rest.size() + frame_.outer().size() > size_t{kMaxRank}) return false;
    for (const int64_t size : frame_.outer()) {
      if (size > kTuples || (tuples_ *= size) > kTuples) return false;
    }
    int64_t strides[kMaxRank], bytes = table_.dtype.size;
    for (size_t i = rest.size();; --i) {
      if (bytes > kBytes) return false;
      if (i == position) row_stride_ = bytes, bytes *= tuples_;
      if (i == 0) break;
      strides[i - 1] = bytes;
      if (rest[i - 1] > kBytes) return false;
      bytes *= rest[i - 1];
    }
    if (bytes == 0 || bytes > kBytes) return false;
    slice_ =
        make_slice(rest, table_.strides.subspan(depth), {strides, rest.size()}, table_.dtype.size);
    return slice_.bytes <= kChunks * slice_.chunk;
  }

  // The unit in which offsets have 32 bits: a chunk, for which there are faster kernels, or a byte.
  bool find_scale() {
    Extent extent;
    if (!find_extent(table_, &extent)) return false;
    scale_ = slice_.chunk;
    for (size_t k = 0; k < static_cast<size_t>(frame_.depth()); ++k) {
      const int64_t size = table_.shape[k], stride = table_.strides[k];
      if (size == 0 || size > INT32_MAX || stride < 0) return false;
      if (stride % slice_.chunk != 0) scale_ = 1;
    }
    return extent.high / scale_ <= UINT32_MAX;
  }

  // Adds what component k adds to each offset; the first one sets them.
  template <class I>
  bool add_component(int k, const Tensor& index, Mode mode, bool wraps) {
    const Broadcast repeated(index, frame_.outer(), "an index array");
    const int64_t size = table_.shape[static_cast<size_t>(k)];
    const auto unit = static_cast<uint32_t>(table_.strides[static_cast<size_t>(k)] / scale_);
    TupleRule<I, uint32_t> rule;
    rule.depth = 1, rule.mode = mode, rule.is_signed = true, rule.wraps = wraps, rule.simd = true;
    rule.batched = k > 0, rule.ahead = 0, rule.base = 0;
    rule.dims[0] = static_cast<I>(size), rule.strides[0] = unit;
    bool is_good = true;
    uint32_t* offsets = offsets_;
    const Walk walk = make_walk(frame_.outer(), repeated.tensor().strides);
    for_each_run(walk, 0, tuples_, [&](int64_t offset, int64_t stride, int64_t n) {
      const std::byte* const data = index.data + offset;
      int64_t t = stride == sizeof(I) ? resolve_lanes(rule, data, offsets, n) : 0;
      for (; t < n; ++t) {
        int64_t i;
        const int64_t value = read_once<I>(data + t * stride);
        is_good = is_good && normalize_index(value, true, wraps, size, mode, &i);
        if (!is_good) return;
        offsets[t] = (k > 0 ? offsets[t] : 0) + static_cast<uint32_t>(i) * unit;
      }
      offsets += n;
    });
    return is_good;
  }

  // Returns how many are done.
  template <class I>
  static int64_t resolve_lanes(const TupleRule<I, uint32_t>& rule, const std::byte* data,
                               uint32_t* offsets, int64_t n) {
    if (reinterpret_cast<uintptr_t>(data) % sizeof(I) != 0) return 0;
    const auto& narrow = kernels().move.narrow;
    const auto* const indices = reinterpret_cast<const I*>(data);
    const auto count = static_cast<size_t>(n);
    if constexpr (sizeof(I) == sizeof(int32_t)) {
      return static_cast<int64_t>(narrow.resolve32(rule, indices, offsets, count));
    } else {
      return static_cast<int64_t>(narrow.resolve64(rule, indices, offsets, count));
    }
  }

  const Frame& frame_;
  const Tensor& table_;
  int64_t tuples_ = 1, row_stride_ = 0, scale_ = 1;
  Slice slice_;
  bool is_brief_;
  uint32_t offsets_[kTuples];
};

// Kernels for elements without gaps take 32-bit offsets, all others 64-bit ones.
void reduce(const ReduceKernels& kernels, const ScatterTile<uint32_t>& tile, int64_t element) {
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
    kernels.rows({tile.table, tile.scale, tile.fetch, offsets, nullptr, n,
                  tile.rows + static_cast<int64_t>(t) * tile.row_stride, tile.row_stride,
                  tile.bytes});
  }
}

}  // namespace

std::optional<py::array> gather_brief(const Frame& frame, const View& table, const ArrayView& x,
                                      const GatherOptions& options) {
  if (leaves_holes(options.mode)) return std::nullopt;
  BriefSlices slices(frame, table.tensor());
  if (!slices.is_brief()) return std::nullopt;
  const Dims shape = frame.result_shape(table.tensor());
  py::array result = make_array(x.dtype(), {shape.begin(), shape.end()});
  x.check_unchanged();
  if (!slices.resolve(options.mode, options.wrap_negative_indices)) return std::nullopt;
  slices.for_each_gather(static_cast<std::byte*>(result.mutable_data()),
                         kernels().move.narrow.gather);
  return result;
}

bool update_brief(const Frame& frame, const View& table, const ArrayView& x,
                  const ArrayView& updates, const ScatterOptions& options) {
  const DType dtype = x.tensor().dtype;
  const bool sets = options.reduction == Reduction::kNone;
  if (options.duplicates != Duplicates::kLast) return false;
  if (!sets && (!dtype.native || !is_reducible(dtype.kind, options.reduction) ||
                rounds_once(dtype.kind, options.reduction))) {
    return false;
  }
  if (leaves_holes(options.mode) || !x.is_contiguous() || !updates.is_contiguous()) return false;
  BriefSlices slices(frame, table.tensor());
  if (!slices.is_brief()) return false;
  // Updates that overlap x would be changed on the way.
  if (may_overlap(x.tensor(), updates.tensor())) return false;
  const Dims shape = frame.result_shape(table.tensor());
  if (!same_shape(updates.tensor().shape, {shape.begin(), shape.end()})) return false;
  check_unchanged(x, updates);
  if (!slices.resolve(options.mode, options.wrap_negative_indices)) return false;
  const std::byte* const rows = updates.tensor().data;
  if (sets) {
    slices.for_each_scatter(rows, kernels().move.narrow.scatter);
  } else {
    const DefaultFloatEnvironment environment;
    const ReduceKernels reduction = kernels().reduce(dtype.kind, options.reduction);
    slices.for_each_scatter(
        rows, [&](const ScatterTile<uint32_t>& tile) { reduce(reduction, tile, dtype.size); });
  }
  return true;
}

}  // namespace gathernd::bindings
