#include "cpu/scatter/packed_updates.hpp"

#include <algorithm>

#include "cpu/common/slices.hpp"
#include "cpu/common/tuning.hpp"

namespace gathernd {
namespace {

Dims without_repeats(const Tensor& updates, int positions) {
  Dims shape(updates.shape);
  for (int i = 0; i < positions; ++i) {
    if (updates.strides[static_cast<size_t>(i)] == 0) shape[i] = 1;
  }
  return shape;
}

}  // namespace

PackedUpdates::PackedUpdates(const Plan& plan, const AtPositions& at, const Tensor& output)
    : plan_(plan),
      shape_(at.tensor().shape),
      distinct_(without_repeats(at.tensor(), plan.positions.size())),
      strides_(c_strides(distinct_, plan.dtype.size)),
      memory_(static_cast<size_t>(count_elements(distinct_) * plan.dtype.size)) {
  const Tensor& given = at.tensor();
  copy_tensor({given.data, given.dtype, distinct_, given.strides},
              {memory_.data(), given.dtype, distinct_, strides_});
  const auto positions = static_cast<size_t>(plan.positions.size());
  for (size_t i = 0; i < positions; ++i) {
    if (given.strides[i] == 0) strides_[static_cast<int>(i)] = 0;
  }
  const std::span<const int64_t> strides(strides_);
  const auto indexed = static_cast<size_t>(plan.batch_dims + plan.depth);
  plan_.row_walk = make_walk(plan.positions, strides.first(positions));
  plan_.slice = make_slice(output.shape.subspan(indexed), output.strides.subspan(indexed),
                           strides.subspan(positions), plan.dtype.size);
}

bool pays_to_pack(const Plan& plan) {
  if (plan.tuples < 2 || plan.slice.bytes == 0) return false;
  const Walk& walk = plan.row_walk;
  const bool is_one_row = std::ranges::all_of(walk.stride, [](int64_t s) { return s == 0; });
  if (is_one_row) return !plan.slice.size.empty();
  return walk.size.size() > 1 && plan.slice.bytes <= tuning().pack_row_bytes;
}

}  // namespace gathernd
