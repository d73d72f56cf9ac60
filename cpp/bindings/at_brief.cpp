#include "at_brief.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/load_tuples.hpp"
#include "core/normalize_index.hpp"
#include "core/reductions.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/targets.hpp"
#include "runtime/float_environment.hpp"

namespace gathernd::bindings {
namespace {

constexpr int64_t kTuples = 2048, kBytes = 8192;

// The slices that few tuples address: rows of an array in C order.
class BriefRows {
 public:
  BriefRows(const Selection& selection, const Tensor& x) : selection_(selection), x_(x) {
    const size_t depth = selection.components().size();
    if (!selection.is_plain() || !same_shape(x.shape, selection.shape())) return;
    if (selection.outer().size() + x.shape.size() - depth > size_t{kMaxRank}) return;
    for (const int64_t size : selection.outer()) {
      if (size > kTuples || (tuples_ *= size) > kTuples) return;
    }
    for (const int64_t size : x.shape.subspan(depth)) {
      if (size > kBytes || (row_ *= size) > kBytes) return;
    }
    if (x.dtype.size > kBytes) return;
    row_ *= x.dtype.size;
    is_brief_ = tuples_ > 0 && tuples_ * row_ <= kBytes;
  }

  bool is_brief() const { return is_brief_; }
  int64_t tuples() const { return tuples_; }
  size_t bytes() const { return static_cast<size_t>(row_); }
  std::byte* table() const { return x_.data; }
  const uint64_t* offsets() const { return offsets_; }

  Dims result_shape() const {
    Dims shape(selection_.outer());
    shape.append(x_.shape.subspan(selection_.components().size()));
    return shape;
  }

  // Reads each index once. Returns false if one is out of range, or has a rare type or layout.
  bool resolve(Mode mode, bool wraps) {
    std::fill_n(offsets_, tuples_, 0);
    size_t k = 0;
    for (const Selection::Component& c : selection_.components()) {
      const int64_t stride = x_.strides[k++];
      const auto add = [&](int64_t t, int64_t value) {
        int64_t index;
        if (!normalize_index(value, true, wraps, c.size, mode, &index)) return false;
        offsets_[t] += static_cast<uint64_t>(index * stride);
        return true;
      };
      const auto add_all = [&]<class I>(const std::byte* data) {
        if (mode == Mode::kRaise) return add_in_range<I>(data, c.size, wraps, stride);
        for (int64_t t = 0; t < tuples_; ++t) {
          if (!add(t, read_once<I>(data + t * int64_t{sizeof(I)}))) return false;
        }
        return true;
      };
      if (!c.array) {
        for (int64_t t = 0; t < tuples_; ++t) {
          if (!add(t, c.integer)) return false;
        }
        continue;
      }
      const ArrayView array(py::reinterpret_borrow<py::array>(c.array), "at", "indices");
      const Tensor& indices = array.tensor();
      if (!array.is_contiguous() || !indices.dtype.native) return false;
      if (!same_shape(indices.shape, selection_.outer())) return false;
      const bool good =
          indices.dtype.kind == Kind::kInt64   ? add_all.operator()<int64_t>(indices.data)
          : indices.dtype.kind == Kind::kInt32 ? add_all.operator()<int32_t>(indices.data)
                                               : false;
      if (!good) return false;
    }
    return true;
  }

 private:
  // Without a branch for each index; false where one is out of range.
  template <class I>
  bool add_in_range(const std::byte* data, int64_t size, bool wraps, int64_t stride) {
    const int64_t more = wraps ? size : 0, n = tuples_;
    bool is_bad = false;
    for (int64_t t = 0; t < n; ++t) {
      const int64_t value = read_once<I>(data + t * int64_t{sizeof(I)});
      const auto index = static_cast<uint64_t>(value < 0 ? value + more : value);
      is_bad |= index >= static_cast<uint64_t>(size);
      offsets_[t] += index * static_cast<uint64_t>(stride);
    }
    return !is_bad;
  }

  const Selection& selection_;
  const Tensor& x_;
  bool is_brief_ = false;
  int64_t tuples_ = 1, row_ = 1;
  uint64_t offsets_[kTuples];
};

// Calls f(slice, place among the rows, bytes): the usual numbers of bytes as constants, which are
// copied without a call.
template <class F>
void for_each_row(const BriefRows& rows, F f) {
  const auto all = [&](auto bytes) {
    const int64_t n = rows.tuples();
    std::byte* const table = rows.table();
    size_t at = 0;
    for (int64_t t = 0; t < n; ++t, at += bytes) f(table + rows.offsets()[t], at, bytes);
  };
  if (rows.bytes() == 4) return all(std::integral_constant<size_t, 4>{});
  if (rows.bytes() == 8) return all(std::integral_constant<size_t, 8>{});
  all(rows.bytes());
}

}  // namespace

std::optional<py::array> gather_brief(const Selection& selection, const ArrayView& x, Mode mode,
                                      bool wraps) {
  BriefRows rows(selection, x.tensor());
  if (!x.is_contiguous() || leaves_holes(mode) || !rows.is_brief()) return std::nullopt;
  const Dims shape = rows.result_shape();
  py::array result = make_array(x.dtype(), {shape.begin(), shape.end()});
  x.check_unchanged();
  if (!rows.resolve(mode, wraps)) return std::nullopt;
  auto* const to = static_cast<std::byte*>(result.mutable_data());
  for_each_row(rows,
               [&](std::byte* row, size_t at, auto bytes) { std::memcpy(to + at, row, bytes); });
  return result;
}

bool update_brief(const Selection& selection, const ArrayView& x, const ArrayView& updates,
                  const ScatterOptions& options) {
  const DType dtype = x.tensor().dtype;
  const bool sets = options.reduction == Reduction::kNone;
  if (sets ? options.duplicates != Duplicates::kLast
           : !dtype.native || !is_reducible(dtype.kind, options.reduction) ||
                 rounds_once(dtype.kind, options.reduction)) {
    return false;
  }
  BriefRows rows(selection, x.tensor());
  if (!x.is_contiguous() || leaves_holes(options.mode) || !rows.is_brief()) return false;
  const Dims shape = rows.result_shape();
  if (!updates.is_contiguous()) return false;
  if (!same_shape(updates.tensor().shape, {shape.begin(), shape.end()})) return false;
  check_unchanged(x, updates);
  if (!rows.resolve(options.mode, options.wrap_negative_indices)) return false;
  std::byte from[kBytes];  // the updates may overlap x
  const size_t bytes = rows.bytes();
  std::memcpy(from, updates.tensor().data, static_cast<size_t>(rows.tuples()) * bytes);
  if (sets) {
    for_each_row(rows, [&](std::byte* row, size_t at, auto n) { std::memcpy(row, from + at, n); });
  } else {
    const DefaultFloatEnvironment environment;
    kernels()
        .reduce(dtype.kind, options.reduction)
        .rows({x.tensor().data, 1, Fetch::kNothing, rows.offsets(), nullptr,
               static_cast<size_t>(rows.tuples()), from, static_cast<int64_t>(bytes), bytes});
  }
  return true;
}

}  // namespace gathernd::bindings
