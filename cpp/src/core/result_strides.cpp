// The memory order of a scatter's new result.
#include "core/layout.hpp"
#include "core/plan_rules.hpp"
#include "gathernd/gathernd.hpp"

namespace gathernd {
namespace {

bool lies_in_pieces(const Tensor& input, int64_t indexed, const Dims& strides) {
  if (indexed < 0 || indexed > strides.size()) return false;  // make_plan will refuse the call
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
  check_view(Operator::kScatter, input, "input");
  const Dims in_c_order = c_strides(input.shape, input.dtype.size);
  Dims seen(input.strides);
  for (int i = seen.size() - 1; i >= 0; --i) {
    const int64_t size = input.shape[static_cast<size_t>(i)];
    if (size == 0 || (size > 1 && seen[i] == 0)) return in_c_order;
    // The stride of a dimension of size 1 means nothing: the dimension stays beside the next one.
    if (size == 1) seen[i] = i + 1 < seen.size() ? seen[i + 1] : 0;
  }
  const Dims strides = packed_in_order(input.shape, seen, input.dtype.size);
  const bool keeps = !lies_in_pieces(input, indexed, strides) || !are_many(updates, input);
  return keeps ? strides : in_c_order;
}

}  // namespace gathernd
