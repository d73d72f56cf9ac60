// What an IndexPlan holds, and the plan of one call by it.
#pragma once

#include <optional>
#include <string>

#include "core/layout.hpp"
#include "core/lazy.hpp"
#include "cpu/prepared/resolved.hpp"
#include "gathernd/error.hpp"
#include "gathernd/index_plan.hpp"

namespace gathernd {

// What only a look at all tuples tells. They are brought to the host for it when it is first asked.
struct DeviceFacts {
  bool is_unique;
  bool is_sorted;
};

struct IndexPlan::State {
  State(std::span<const int64_t> shape, const Tensor& indices, int64_t batch_dims, Mode mode,
        bool wrap_negative_indices);

  Dims rows_shape;  // the first to be made: that checks how many dimensions there are
  Dims shape;
  Dims indices_shape;
  DType index_type;
  PlanOptions options;
  Plan packed;
  std::optional<Resolved<uint32_t>> narrow;
  std::optional<Resolved<uint64_t>> wide;
  DeviceBackend* device = nullptr;  // if it is not null, this is where the tuples are
  DeviceTuplesPtr tuples;
  Lazy<DeviceFacts> facts;

  std::span<const int64_t> sizes() const {
    return {shape.begin(), static_cast<size_t>(packed.batch_dims + packed.depth)};
  }

  // The plan of one call; the indices stand there in shape only.
  Plan plan_call(Operator op, const Tensor& table, const Tensor& rows,
                 const PlanOptions& call_options) const {
    const Dims strides = c_strides(indices_shape, 0);
    const Tensor indices{nullptr, index_type, indices_shape, strides};
    return make_plan(op, table, indices, rows, call_options, &packed.positions);
  }

  void check_input(Operator op, const Tensor& input) const {
    if (same_shape(input.shape, shape)) return;
    throw Error(ErrorKind::kValue, std::string(name(op)) + ": input must have the plan's shape " +
                                       text(shape) + ", not " + text(input.shape));
  }

  PlanOptions scatter_options(Reduction reduction, Duplicates duplicates) const {
    const Mode mode = options.mode == Mode::kFill ? Mode::kDrop : options.mode;
    return {options.batch_dims, mode, reduction, duplicates, options.wrap_negative_indices};
  }

  // Plans of a call on memory of the device.
  Plan plan_gather_there(const Tensor& input) const;
  Plan plan_scatter_there(const Tensor& input, const Tensor& updates, Reduction reduction,
                          Duplicates duplicates) const;

  // Of a device's plan: the same on the host, maybe for another table of as many slices.
  IndexPlan bring_here() const;
  const DeviceFacts& look() const;

  // Calls f with the tuples that are held.
  template <class F>
  decltype(auto) visit(F f) const {
    return packed.wide ? f(*wide) : f(*narrow);
  }
};

}  // namespace gathernd
