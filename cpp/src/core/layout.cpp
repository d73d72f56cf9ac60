#include "core/layout.hpp"

#include <utility>

#include "core/checked.hpp"
#include "gathernd/error.hpp"

namespace gathernd {
namespace {

// No machine addresses more than 57 bits: a view beyond that is a mistake, not memory.
constexpr int64_t kAddressSpace = int64_t{1} << 57;

bool is_empty(std::span<const int64_t> shape) { return std::ranges::find(shape, 0) != shape.end(); }

// The product may wrap: the strides of empty views can be anything.
int64_t wrapping_mul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

}  // namespace

void refuse_rank(size_t rank) {
  throw Error(ErrorKind::kValue, "an array has " + std::to_string(rank) +
                                     " dimensions; the limit is " + std::to_string(kMaxRank));
}

Walk make_walk(std::span<const int64_t> shape, std::span<const int64_t> strides) {
  Walk walk;
  if (is_empty(shape)) return walk;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    const bool merges =
        !walk.size.empty() && walk.stride.back() == wrapping_mul(strides[i], shape[i]);
    if (merges) {
      walk.size.back() *= shape[i];
      walk.stride.back() = strides[i];
    } else {
      walk.size.push_back(shape[i]);
      walk.stride.push_back(strides[i]);
    }
  }
  return walk;
}

Slice make_slice(std::span<const int64_t> shape, std::span<const int64_t> table_strides,
                 std::span<const int64_t> row_strides, int64_t size) {
  Slice slice;
  if (is_empty(shape)) return slice;
  slice.chunk = size;
  size_t outer = shape.size();  // dimensions that are not part of the chunk
  for (; outer > 0; --outer) {
    const size_t i = outer - 1;
    const bool contiguous = table_strides[i] == slice.chunk && row_strides[i] == slice.chunk;
    if (shape[i] != 1 && !contiguous) break;
    slice.chunk *= shape[i];
  }
  slice.bytes = slice.chunk;
  for (size_t i = 0; i < outer; ++i) {
    slice.bytes *= shape[i];
    if (shape[i] == 1) continue;
    const bool merges = !slice.size.empty() &&
                        slice.table_stride.back() == wrapping_mul(table_strides[i], shape[i]) &&
                        slice.row_stride.back() == wrapping_mul(row_strides[i], shape[i]);
    if (merges) {
      slice.size.back() *= shape[i];
      slice.table_stride.back() = table_strides[i];
      slice.row_stride.back() = row_strides[i];
    } else {
      slice.size.push_back(shape[i]);
      slice.table_stride.push_back(table_strides[i]);
      slice.row_stride.push_back(row_strides[i]);
    }
  }
  return slice;
}

bool find_extent(const Tensor& tensor, Extent* extent) {
  if (tensor.strides.size() != tensor.shape.size()) return false;
  int64_t low = 0, high = tensor.dtype.size;
  bool fits = true;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    *extent = {};
    if (tensor.shape[i] == 0) return true;  // whatever the strides are
    int64_t reach;
    fits = fits && checked_mul(tensor.shape[i] - 1, tensor.strides[i], &reach);
    if (!fits) continue;
    int64_t& side = reach < 0 ? low : high;
    fits = checked_add(side, reach, &side);
  }
  *extent = {low, high};
  return fits && low > -kAddressSpace && high < kAddressSpace;
}

bool count_elements(std::span<const int64_t> shape, int64_t* count) {
  *count = 1;
  // One 0 makes the product 0, even if the other sizes would overflow.
  if (is_empty(shape)) {
    *count = 0;
    return true;
  }
  return std::ranges::all_of(shape, [&](int64_t n) { return checked_mul(*count, n, count); });
}

int64_t count_elements(std::span<const int64_t> shape) {
  int64_t count = 0;
  count_elements(shape, &count);
  return count;
}

std::string text(std::span<const int64_t> shape) {
  std::string s = "(";
  for (size_t i = 0; i < shape.size(); ++i) s += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return s + (shape.size() == 1 ? ",)" : ")");
}

Dims c_strides(std::span<const int64_t> shape, int64_t size) {
  Dims strides(shape);
  auto stride = static_cast<uint64_t>(size);  // may wrap if the shape is empty
  for (int i = strides.size() - 1; i >= 0; --i) {
    const auto n = static_cast<uint64_t>(strides[i]);
    strides[i] = static_cast<int64_t>(stride);
    stride *= n;
  }
  return strides;
}

Dims order_by_stride(std::span<const int64_t> strides) {
  const auto length = [&](int64_t axis) {
    const int64_t stride = strides[static_cast<size_t>(axis)];
    return stride < 0 ? static_cast<uint64_t>(-(stride + 1)) + 1 : static_cast<uint64_t>(stride);
  };
  // An insertion sort: std::stable_sort allocates memory.
  Dims axes;
  for (size_t i = 0; i < strides.size(); ++i) {
    axes.push_back(static_cast<int64_t>(i));
    for (int at = axes.size() - 1; at > 0 && length(axes[at - 1]) < length(axes[at]); --at) {
      std::swap(axes[at - 1], axes[at]);
    }
  }
  return axes;
}

Dims packed_in_order(std::span<const int64_t> shape, std::span<const int64_t> strides,
                     int64_t size) {
  const Dims axes = order_by_stride(strides);
  Dims ordered;
  for (const int64_t axis : axes) ordered.push_back(shape[static_cast<size_t>(axis)]);
  const Dims packed = c_strides(ordered, size);
  Dims result(shape);
  for (int i = 0; i < axes.size(); ++i) result[static_cast<int>(axes[i])] = packed[i];
  return result;
}

}  // namespace gathernd
