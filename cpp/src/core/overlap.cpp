#include "core/overlap.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <vector>

#include "core/checked.hpp"
#include "core/layout.hpp"

namespace gathernd {
namespace {

struct Axis {
  int64_t stride, size;
};

// Whether steps along the axes, which reach at most `reach` bytes in all, can bring the offset `at`
// to less than `size` bytes from 0. Visits only sums that the remaining axes can still bring back.
// For odd strides that can be nearly all sums, so it gives up after `steps`: true in doubt.
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

}  // namespace

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
  if (a.data != b.data || a.dtype.size != b.dtype.size || !same_shape(a.shape, b.shape) ||
      a.strides.size() != b.strides.size()) {
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

  // Largest stride first. By symmetry, two elements differ upwards on the first axis where they
  // differ.
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

}  // namespace gathernd
