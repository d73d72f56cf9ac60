#include "cpu/scatter/scatter_updates.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "cpu/common/slices.hpp"
#include "cpu/common/tuning.hpp"

namespace gathernd {
namespace {

// Whether all tuples have one update.
bool is_one_row(const Plan& plan) {
  return std::ranges::all_of(plan.row_walk.stride, [](int64_t s) { return s == 0; });
}

// Whether a copy costs less than it saves, if all updates are read.
bool pays_to_pack(const Plan& plan) {
  if (plan.tuples < 2 || plan.slice.bytes == 0) return false;
  if (is_one_row(plan)) return !plan.slice.size.empty();
  return plan.row_walk.size.size() > 1 && plan.slice.bytes <= tuning().pack_row_bytes;
}

Dims without_repeats(const Tensor& updates, int positions) {
  Dims shape(updates.shape);
  for (int i = 0; i < positions; ++i) {
    if (updates.strides[static_cast<size_t>(i)] == 0) shape[i] = 1;
  }
  return shape;
}

}  // namespace

PackedUpdates::PackedUpdates(const Plan& plan, const Tensor& updates, const Tensor& output)
    : at_(plan, updates),
      distinct_(without_repeats(at_.tensor(), plan.positions.size())),
      packed_strides_(c_strides(distinct_, plan.dtype.size)),
      strides_(packed_strides_),
      plan_(plan) {
  const auto positions = static_cast<size_t>(plan.positions.size());
  for (size_t i = 0; i < positions; ++i) {
    if (at_.tensor().strides[i] == 0) strides_[static_cast<int>(i)] = 0;
  }
  const std::span<const int64_t> strides(strides_);
  const auto indexed = static_cast<size_t>(plan.batch_dims + plan.depth);
  plan_.row_walk = make_walk(plan.positions, strides.first(positions));
  plan_.slice = make_slice(output.shape.subspan(indexed), output.strides.subspan(indexed),
                           strides.subspan(positions), plan.dtype.size);
}

bool PackedUpdates::is_no_larger() const {
  Extent extent;
  return find_extent(given(), &extent) && extent.high - extent.low >= bytes();
}

void PackedUpdates::take_memory() { memory_.emplace(static_cast<size_t>(bytes())); }

Tensor PackedUpdates::copy() const {
  copy_tensor(given(), {memory_->data(), plan_.dtype, distinct_, packed_strides_});
  return {memory_->data(), plan_.dtype, at_.tensor().shape, strides_};
}

ScatterUpdates::ScatterUpdates(const Plan& plan, const Tensor& updates, const Tensor& output,
                               const ScatterFacts& facts)
    : plan_(plan), updates_(updates) {
  if (pays_to_pack(plan)) {
    try {
      auto packed = std::make_unique<PackedUpdates>(plan, updates, output);
      strategy_ = choose_scatter(packed->plan(), facts);
      // Of many updates of a slice winners are read alone.
      const bool reads_all = strategy_.way != ScatterWay::kWinners;
      if (is_one_row(plan) || (reads_all && packed->is_no_larger())) {
        packed->take_memory();
        packed_ = std::move(packed);
        return;
      }
    } catch (const std::bad_alloc&) {
      // They are read where they lie.
    }
  }
  strategy_ = choose_scatter(plan, facts);
}

}  // namespace gathernd
