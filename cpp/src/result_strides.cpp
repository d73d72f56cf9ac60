// The order of a scatter's new result in memory.
#include <algorithm>
#include <cstdlib>

#include "gathernd/gathernd.hpp"
#include "layout.hpp"

namespace gathernd {
namespace {

bool lies_in_pieces(const Tensor& input, int64_t indexed, const Dims& strides) {
  if (indexed < 0 || indexed > strides.size()) return false;  // against the rules, as will be said
  const auto slice = static_cast<size_t>(indexed);
  const Dims whole = c_strides(input.shape.subspan(slice), input.dtype.size);
  return !same_shape(whole, std::span<const int64_t>(strides).subspan(slice));
}

bool are_many(const Tensor& updates, const Tensor& input) {
  int64_t written, all;
  return !count_elements(updates.shape, &written) || !count_elements(input.shape, &all) ||
         written > all / 4;
}

}  // namespace

Dims result_strides(const Tensor& input, int64_t indexed, const Tensor& updates) {
  const Dims in_c_order = c_strides(input.shape, input.dtype.size);
  Dims axes;
  for (int i = 0; i < in_c_order.size(); ++i) axes.push_back(i);
  const auto stride = [&](int64_t axis) { return input.strides[static_cast<size_t>(axis)]; };
  const auto size = [&](int64_t axis) { return input.shape[static_cast<size_t>(axis)]; };
  if (std::any_of(axes.begin(), axes.end(), [&](int64_t a) { return size(a) == 0; }) ||
      std::any_of(axes.begin(), axes.end(),
                  [&](int64_t a) { return size(a) > 1 && stride(a) == 0; })) {
    return in_c_order;
  }
  // An axis of one element has any stride: it stays beside the next one.
  Dims reach = in_c_order;
  for (int i = in_c_order.size() - 1; i >= 0; --i) {
    const int64_t next = i + 1 < reach.size() ? reach[i + 1] : 0;
    reach[i] = size(i) > 1 ? std::abs(stride(i)) : next;
  }
  std::stable_sort(axes.begin(), axes.end(), [&](int64_t a, int64_t b) {
    return reach[static_cast<int>(a)] > reach[static_cast<int>(b)];
  });
  Dims strides = in_c_order;
  int64_t next = input.dtype.size;
  for (int i = axes.size() - 1; i >= 0; --i) {
    strides[static_cast<int>(axes[i])] = next;
    next *= size(axes[i]);
  }
  const bool keeps = !lies_in_pieces(input, indexed, strides) || !are_many(updates, input);
  return keeps ? strides : in_c_order;
}

}  // namespace gathernd
