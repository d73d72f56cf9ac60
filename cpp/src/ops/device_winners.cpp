// find_winners on a device: scatters and a gather of positions.
#include <numeric>
#include <span>
#include <vector>

#include "core/layout.hpp"
#include "core/plan_rules.hpp"
#include "gathernd/winners.hpp"
#include "runtime/buffer.hpp"

namespace gathernd {
namespace {

constexpr DType kPosition{Kind::kInt64, sizeof(int64_t)};

// A packed tensor without data.
struct Packed {
  Packed(DType dtype, std::span<const int64_t> shape_)
      : shape(shape_),
        strides(c_strides(shape, dtype.size)),
        tensor{nullptr, dtype, shape, strides} {}
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;

  Dims shape, strides;
  Tensor tensor;
};

PlanOptions options_of(const Plan& plan) {
  return {plan.batch_dims, plan.mode, plan.reduction, plan.duplicates, plan.wrap_negative_indices};
}

DeviceMemoryPtr upload_none(DeviceBackend& device, std::span<const int64_t> shape) {
  int64_t none = -1;
  Dims strides;
  for (int i = 0; i < static_cast<int>(shape.size()); ++i) strides.push_back(0);
  return device.upload({reinterpret_cast<std::byte*>(&none), kPosition, shape, strides});
}

DeviceMemoryPtr upload_positions(DeviceBackend& device, int64_t tuples) {
  const Buffer<int64_t> positions(static_cast<size_t>(tuples));
  std::iota(positions.data(), positions.data() + tuples, int64_t{0});
  const Packed packed(kPosition, {&tuples, 1});
  Tensor tensor = packed.tensor;
  tensor.data = reinterpret_cast<std::byte*>(positions.data());
  return device.upload(tensor);
}

// Repeats each of the elements `times` times.
DeviceMemoryPtr repeat(DeviceBackend& device, const DeviceMemoryPtr& elements, int64_t slices,
                       int64_t times) {
  const Packed table(kPosition, {{slices}}), rows(kPosition, {{slices, times}});
  const Packed whole(kPosition, {{slices, times, 0}});  // tuples of no indices: a batch's slice
  const Plan plan =
      make_plan(Operator::kGather, table.tensor, whole.tensor, rows.tensor, {.batch_dims = 1});
  const DeviceMemoryPtr no_indices = device.upload(whole.tensor);
  return device.gather(plan, *elements, *no_indices, nullptr);
}

// The winners of a set: a scatter of positions into a table of one element a slice.
DeviceMemoryPtr find_set(DeviceBackend& device, const Plan& set, std::span<const int64_t> slices,
                         const DeviceTensor& indices, int64_t width) {
  const auto outer = indices.tensor.shape.first(indices.tensor.shape.size() - 1);
  const Packed table(kPosition, slices), rows(kPosition, outer);
  const Plan plan =
      make_plan(Operator::kScatter, table.tensor, indices.tensor, rows.tensor, options_of(set));
  const DeviceMemoryPtr none = upload_none(device, slices);
  const DeviceMemoryPtr positions = upload_positions(device, count_elements(outer));
  const DeviceMemoryPtr found = device.scatter(plan, none, *indices.memory, *positions, true);
  return width == 1 ? found : repeat(device, found, count_elements(slices), width);
}

// The winners of a min or max: the least position of the updates that are the result. As unsigned
// integers, -1 is larger than all positions.
DeviceMemoryPtr find_extremes(DeviceBackend& device, const Plan& reduce, const DeviceTensor& input,
                              const DeviceTensor& indices, const DeviceTensor& updates,
                              int64_t width) {
  const Tensor& table = input.tensor;
  const DeviceMemoryPtr result =
      device.scatter(reduce, input.memory, *indices.memory, *updates.memory, false);
  PlanOptions to_rows = options_of(reduce);
  to_rows.reduction = Reduction::kNone;
  if (reduce.mode == Mode::kDrop) to_rows.mode = Mode::kFill;
  const std::vector<std::byte> fill(static_cast<size_t>(table.dtype.size));  // is dropped later
  const Plan gather = make_plan(Operator::kGather, table, indices.tensor, updates.tensor, to_rows);
  const DeviceMemoryPtr reached = device.gather(gather, *result, *indices.memory, fill.data());
  const int64_t tuples = count_elements(updates.tensor.shape) / width;
  const DeviceMemoryPtr positions =
      device.match(table.dtype, *reached, *updates.memory, tuples, width);
  constexpr DType kUnsigned{Kind::kUInt64, sizeof(uint64_t)};
  const Packed winners(kUnsigned, table.shape), rows(kUnsigned, updates.tensor.shape);
  PlanOptions to_least = options_of(reduce);
  to_least.reduction = Reduction::kMin;
  const Plan least =
      make_plan(Operator::kScatter, winners.tensor, indices.tensor, rows.tensor, to_least);
  const DeviceMemoryPtr none = upload_none(device, table.shape);
  return device.scatter(least, none, *indices.memory, *positions, true);
}

// Of a table without elements: only the rules on index values hold, as of elements without bytes.
DeviceMemoryPtr find_nothing(DeviceBackend& device, const Plan& plan, const DeviceTensor& indices,
                             std::span<const int64_t> shape, std::span<const int64_t> rows_shape) {
  const DType no_bytes{Kind::kOther, 0};
  const Packed table(no_bytes, shape), rows(no_bytes, rows_shape);
  PlanOptions options = options_of(plan);
  options.reduction = Reduction::kNone;
  const Plan check =
      make_plan(Operator::kScatter, table.tensor, indices.tensor, rows.tensor, options);
  const DeviceMemoryPtr empty = upload_none(device, shape);
  device.scatter(check, empty, *indices.memory, *empty, false);
  return empty;
}

}  // namespace

Plan plan_winners(const Tensor& input, const Indices& indices, const Tensor& updates,
                  const ScatterOptions& options) {
  check_has_winners(options.reduction);
  return make_plan(Operator::kScatter, input, indices, updates, plan_options_of(options));
}

DeviceMemoryPtr find_winners(DeviceBackend& device, const Plan& plan, const DeviceTensor& input,
                             const DeviceTensor& indices, const DeviceTensor& updates) {
  const auto shape = input.tensor.shape;
  if (count_elements(shape) == 0)
    return find_nothing(device, plan, indices, shape, updates.tensor.shape);
  const auto slices = shape.first(static_cast<size_t>(plan.batch_dims + plan.depth));
  const int64_t width = count_elements(shape.subspan(slices.size()));
  if (plan.reduction == Reduction::kNone) return find_set(device, plan, slices, indices, width);
  return find_extremes(device, plan, input, indices, updates, width);
}

}  // namespace gathernd
