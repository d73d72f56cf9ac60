#include "layout.hpp"

#include <cstdlib>
#include <functional>
#include <vector>

#include "checked.hpp"

namespace gathernd {
namespace {

// No machine addresses more than 57 bits: a view beyond that is a mistake, not memory.
constexpr int64_t kAddressSpace = int64_t{1} << 57;

bool is_empty(std::span<const int64_t> shape) { return std::ranges::find(shape, 0) != shape.end(); }

struct Axis {
  int64_t stride, size;
};

// Whether the offset `at` and some difference along the axes, of at most `reach` together, add up
// to less than `size` bytes. Looks only where the rest of the axes can still make up for the sum,
// which for wild strides can be nearly everywhere: after `steps` of it, true in doubt.
bool meets(std::span<const Axis> axes, int64_t reach, int64_t at, int64_t size, int64_t* steps) {
  if (axes.empty()) return std::abs(at) < size;
  if (--*steps < 0) return true;
  const auto [stride, n] = axes.front();
  const int64_t rest = reach - stride * (n - 1);
  const int64_t room = rest + size - 1;
  const int64_t first = std::max(1 - n, (-room - at) / stride - 1);
  const int64_t last = std::min(n - 1, (room - at) / stride + 1);
  for (int64_t d = first; d <= last; ++d) {
    const int64_t sum = at + d * stride;
    if (std::abs(sum) <= room && meets(axes.subspan(1), rest, sum, size, steps)) return true;
  }
  return false;
}

// For the strides of empty views, which can be anything.
int64_t wrapping_mul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

}  // namespace

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
  slice.bytes = slice.chunk = size;
  for (size_t i = shape.size(); i-- > 0;) {
    slice.bytes *= shape[i];
    if (shape[i] == 1) continue;
    const bool contiguous =
        slice.size.empty() && table_strides[i] == slice.chunk && row_strides[i] == slice.chunk;
    if (contiguous) {
      slice.chunk *= shape[i];
      continue;
    }
    const int last = slice.size.size() - 1;
    const bool merges =
        last >= 0 && table_strides[i] == wrapping_mul(slice.table_stride[last], slice.size[last]) &&
        row_strides[i] == wrapping_mul(slice.row_stride[last], slice.size[last]);
    if (merges) {
      slice.size[last] *= shape[i];
    } else {
      slice.size.push_back(shape[i]);
      slice.table_stride.push_back(table_strides[i]);
      slice.row_stride.push_back(row_strides[i]);
    }
  }
  std::reverse(slice.size.begin(), slice.size.end());
  std::reverse(slice.table_stride.begin(), slice.table_stride.end());
  std::reverse(slice.row_stride.begin(), slice.row_stride.end());
  return slice;
}

bool find_extent(const Tensor& tensor, Extent* extent) {
  *extent = {};
  if (is_empty(tensor.shape)) return true;
  extent->high = tensor.dtype.size;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    int64_t reach;
    if (!checked_mul(tensor.shape[i] - 1, tensor.strides[i], &reach)) return false;
    int64_t& side = reach < 0 ? extent->low : extent->high;
    if (!checked_add(side, reach, &side)) return false;
  }
  return extent->low > -kAddressSpace && extent->high < kAddressSpace;
}

bool count_elements(std::span<const int64_t> shape, int64_t* count) {
  *count = 1;
  // A zero anywhere makes the product zero, whatever the rest would do.
  if (is_empty(shape)) {
    *count = 0;
    return true;
  }
  return std::ranges::all_of(shape, [&](int64_t n) { return checked_mul(*count, n, count); });
}

std::string text(std::span<const int64_t> shape) {
  std::string s = "(";
  for (size_t i = 0; i < shape.size(); ++i) s += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return s + (shape.size() == 1 ? ",)" : ")");
}

bool may_overlap(const Tensor& a, const Tensor& b) {
  Extent x, y;
  if (!find_extent(a, &x) || !find_extent(b, &y)) return true;
  if (x.low == x.high || y.low == y.high) return false;
  const auto from = [](const Tensor& t, int64_t at) {
    return reinterpret_cast<uintptr_t>(t.data) + static_cast<uintptr_t>(at);
  };
  return from(a, x.low) < from(b, y.high) && from(b, y.low) < from(a, x.high);
}

bool same_memory(const Tensor& a, const Tensor& b) {
  if (a.data != b.data || a.dtype.size != b.dtype.size || !same_shape(a.shape, b.shape)) {
    return false;
  }
  for (size_t i = 0; i < a.shape.size(); ++i) {
    if (a.shape[i] > 1 && a.strides[i] != b.strides[i]) return false;
  }
  return true;
}

bool overlaps_itself(const Tensor& tensor) {
  Extent extent;
  int64_t count;
  if (!find_extent(tensor, &extent) || !count_elements(tensor.shape, &count)) return true;
  const int64_t size = tensor.dtype.size;
  if (count <= 1 || size == 0) return false;
  const Dims packed = c_strides(tensor.shape, size);
  if (same_shape(packed, tensor.strides)) return false;
  int64_t bytes;
  const int64_t reach = extent.high - extent.low;
  if (!checked_mul(count, size, &bytes) || bytes > reach) return true;

  // From the largest stride down; the first axis on which two elements differ, differs upwards.
  std::vector<Axis> axes;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    if (tensor.shape[i] == 1) continue;
    const int64_t stride = std::abs(tensor.strides[i]);
    if (stride == 0) return true;
    axes.push_back({stride, tensor.shape[i]});
  }
  std::ranges::sort(axes, std::ranges::greater(), &Axis::stride);
  int64_t rest = reach - size;
  int64_t steps = 1'000'000;
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto [stride, n] = axes[i];
    rest -= stride * (n - 1);
    const int64_t last = std::min(n - 1, (rest + size - 1) / stride);
    for (int64_t d = 1; d <= last; ++d) {
      if (meets(std::span(axes).subspan(i + 1), rest, d * stride, size, &steps)) return true;
    }
  }
  return false;
}

Dims c_strides(std::span<const int64_t> shape, int64_t size) {
  Dims strides(shape);
  auto stride = static_cast<uint64_t>(size);  // may wrap, where the shape is empty
  for (int i = strides.size() - 1; i >= 0; --i) {
    const auto n = static_cast<uint64_t>(strides[i]);
    strides[i] = static_cast<int64_t>(stride);
    stride *= n;
  }
  return strides;
}

}  // namespace gathernd
