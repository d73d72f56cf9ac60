#include "cpu/common/slices.hpp"

#include <algorithm>
#include <cstring>

#include "core/layout.hpp"
#include "cpu/common/caches.hpp"
#include "cpu/common/tuning.hpp"
#include "cpu/kernels/targets.hpp"
#include "cpu/kernels/words.hpp"
#include "hwy/cache_control.h"
#include "runtime/parallel_for.hpp"
#include "runtime/settings.hpp"

namespace gathernd {
namespace {

template <size_t kBytes>
struct CopyFixed {
  void operator()(std::byte* to, const std::byte* from) const { std::memcpy(to, from, kBytes); }
};

// Calls f(copy), where copy(to, from) copies one chunk: of the usual sizes without a call.
template <class F>
void with_copy(int64_t chunk, F f) {
  switch (chunk) {
    case 1:
      return f(CopyFixed<1>());
    case 2:
      return f(CopyFixed<2>());
    case 3:
      return f(CopyFixed<3>());
    case 4:
      return f(CopyFixed<4>());
    case 6:
      return f(CopyFixed<6>());
    case 8:
      return f(CopyFixed<8>());
    case 12:
      return f(CopyFixed<12>());
    case 16:
      return f(CopyFixed<16>());
    default:
      return f([copy = kernels().move.copy, bytes = static_cast<size_t>(chunk)](
                   std::byte* to, const std::byte* from) { copy(to, from, bytes); });
  }
}

// A copy has no order of its own: that of the memory that is written, in which more dimensions may
// merge.
Slice slice_of_copy(const Tensor& from, const Tensor& to) {
  Dims shape, read, written;
  for (const int64_t axis : order_by_stride(to.strides)) {
    const auto i = static_cast<size_t>(axis);
    shape.push_back(from.shape[i]);
    read.push_back(from.strides[i]);
    written.push_back(to.strides[i]);
  }
  return make_slice(shape, read, written, from.dtype.size);
}

}  // namespace

void copy_to_row(const Slice& slice, const std::byte* table, std::byte* row) {
  with_copy(slice.chunk, [&](auto copy) {
    for_each_chunk(slice, [=](int64_t from, int64_t to) { copy(row + to, table + from); });
  });
}

void copy_to_table(const Slice& slice, const std::byte* row, std::byte* table) {
  with_copy(slice.chunk, [&](auto copy) {
    for_each_chunk(slice, [=](int64_t to, int64_t from) { copy(table + to, row + from); });
  });
}

void fill_row(const Slice& slice, std::byte* row, const std::byte* value, size_t size) {
  for_each_chunk(slice, [&](int64_t, int64_t to) {
    for (size_t i = 0; i < static_cast<size_t>(slice.chunk); i += size) {
      std::memcpy(row + to + i, value, size);
    }
  });
}

bool has_words_apart(const Plan& plan, const Slice& slice) {
  const Tuning& t = tuning();
  if (plan.reduction != Reduction::kNone || slice.size.size() != 1 || !is_word(slice.chunk) ||
      slice.size[0] < (is_near(plan) ? t.slice_words : t.far_slice_words)) {
    return false;
  }
  // Rows that come in one run for each word had better be read or written so.
  const int64_t step = plan.row_walk.stride.empty() ? 0 : std::abs(plan.row_walk.stride.back());
  if (step != 0 && std::abs(slice.row_stride[0]) > step) return false;
  return std::ranges::any_of(plan.units, [&](int64_t units) {
    return std::abs(units) > std::abs(slice.table_stride[0]) / plan.scale;
  });
}

SlicePart cut_slice(const Slice& slice, int64_t element_size, int64_t part, int64_t parts) {
  SlicePart result{slice};
  const bool outer = !slice.size.empty();
  const int64_t unit = outer ? 1 : element_size;
  const int64_t length = outer ? slice.size[0] : slice.chunk / element_size;
  const auto at = [&](int64_t p) { return begin_of_part(length, p, parts); };
  const int64_t count = at(part + 1) - at(part);
  (outer ? result.slice.size[0] : result.slice.chunk) = count * unit;
  result.slice.bytes = length == 0 ? 0 : slice.bytes / length * count;
  result.table_offset = at(part) * (outer ? slice.table_stride[0] : unit);
  result.row_offset = at(part) * (outer ? slice.row_stride[0] : unit);
  return result;
}

SlicePart field_of(const Slice& slice, int64_t element_size, const ByteRun& run) {
  SlicePart result{slice, run.offset, run.offset};
  const int64_t elements = slice.chunk / element_size;
  if (elements > 1) {
    result.slice.size.push_back(elements);
    result.slice.table_stride.push_back(element_size);
    result.slice.row_stride.push_back(element_size);
  }
  result.slice.chunk = run.size;
  result.slice.bytes = slice.bytes / element_size * run.size;
  return result;
}

bool has_word_rows(const Plan& plan, const Slice& slice) {
  return is_word(slice.bytes) && slice.size.empty() && plan.row_walk.size.size() == 1;
}

bool has_packed_rows(const Plan& plan) {
  const int64_t bytes = plan.slice.bytes;
  return plan.slice.size.empty() && plan.scale == bytes && plan.row_walk.size.size() == 1 &&
         plan.row_walk.stride[0] == bytes;
}

bool has_short_rows(const Plan& plan) {
  return is_short_row(plan.slice.bytes) && has_packed_rows(plan);
}

int64_t count_parts_of(const Plan& plan) {
  return count_parts(plan.tuples, grain_for(plan.slice.bytes), num_threads());
}

int64_t count_ranges_of(const Plan& plan) {
  return count_parts(plan.tuples, grain_for(plan.slice.bytes), kRangesPerThread * num_threads());
}

int64_t most_columns(const Plan& plan) {
  return plan.slice.size.empty() ? plan.slice.chunk / plan.dtype.size : plan.slice.size[0];
}

int64_t count_columns(const Plan& plan) {
  const Tuning& t = tuning();
  if (plan.slice.bytes < t.column_bytes) return 1;
  if (plan.slice.bytes < t.column_bytes * count_parts_of(plan)) return 1;
  const int64_t grain = std::max(t.column_grain, grain_for(1) / plan.tuples);
  return std::min(count_parts(plan.slice.bytes, grain, num_threads()), most_columns(plan));
}

// A processor prefetches updates that come in order by itself, but not among scattered writes, nor
// if a thread leaves some out. A prefetch of what a cache has, and of short updates that are
// reduced in order, only costs.
Fetch fetch_of(const Plan& plan, bool in_order) {
  if (is_cached(plan)) return Fetch::kNothing;
  const int64_t bytes = plan.slice.bytes;
  const bool gains =
      !in_order || plan.reduction == Reduction::kNone || bytes >= tuning().prefetch_row;
  return gains && plan.tuples > tuning().prefetch_updates / bytes ? Fetch::kBoth : Fetch::kTable;
}

void copy_tensor(const Tensor& from, const Tensor& to) {
  const Slice whole = slice_of_copy(from, to);
  if (whole.bytes == 0) return;
  const int64_t length = whole.size.empty() ? whole.chunk / from.dtype.size : whole.size[0];
  const int64_t parts =
      count_parts(length, grain_for(whole.bytes / length), kRangesPerThread * num_threads());
  const bool streamed = whole.size.empty() && whole.bytes >= tuning().stream_copy_bytes;
  parallel_parts(parts, [&](int64_t p) {
    const auto [slice, read, written] = cut_slice(whole, from.dtype.size, p, parts);
    if (!streamed) return copy_to_row(slice, from.data + read, to.data + written);
    kernels().move.stream(to.data + written, from.data + read, static_cast<size_t>(slice.chunk));
    hwy::FlushStream();
  });
}

}  // namespace gathernd
