// IndexPlan's tuples and work on a device.
#include <string>

#include "core/plan_rules.hpp"
#include "gathernd/error.hpp"
#include "ops/index_plan_state.hpp"
#include "runtime/buffer.hpp"

namespace gathernd {
namespace {

void check_device(Operator op, const DeviceBackend* device) {
  if (device != nullptr) return;
  throw Error(ErrorKind::kDevice,
              std::string(name(op)) + ": input is on a device, the IndexPlan on the CPU");
}

}  // namespace

IndexPlan::IndexPlan(std::span<const int64_t> shape, const Tensor& indices, DeviceMemory& memory,
                     int64_t batch_dims, Mode mode, DeviceBackend& device,
                     bool wrap_negative_indices)
    : state_(std::make_unique<State>(shape, indices, batch_dims, mode, wrap_negative_indices)) {
  state_->device = &device;
  state_->tuples = device.prepare(state_->packed, memory);
}

IndexPlan IndexPlan::State::bring_here() const {
  const int64_t rows = tuples->rows();
  const bool has_slots = rows >= 0;
  const int64_t slots_shape[] = {packed.tuples, 1};
  Dims kept_shape = packed.positions, table_shape = shape;
  kept_shape.push_back(packed.depth);
  for (int i = 0; i < packed.batch_dims; ++i) table_shape[i] = packed.positions[i];
  const DType type = has_slots ? DType{Kind::kUInt32, 4} : index_type;
  const std::span<const int64_t> there =
      has_slots ? slots_shape : std::span<const int64_t>(kept_shape);
  const Dims strides = c_strides(there, type.size);
  int64_t elements = 0;
  count_elements(there, &elements);
  const Buffer<std::byte> memory(static_cast<size_t>(elements * type.size));
  const Tensor here{memory.data(), type, there, strides};
  device->download(tuples->indices(), here, true);
  // Slots that are left out are out of range.
  if (has_slots) return IndexPlan({&rows, 1}, here, 0, Mode::kFill);
  return IndexPlan(table_shape, here, options.batch_dims, options.mode, nullptr,
                   options.wrap_negative_indices);
}

const DeviceFacts& IndexPlan::State::look() const {
  return facts.get([&] {
    const IndexPlan plan = bring_here();
    return DeviceFacts{plan.is_unique(), plan.is_sorted()};
  });
}

Plan IndexPlan::State::plan_gather_there(const Tensor& input) const {
  check_device(Operator::kGather, device);
  check_input(Operator::kGather, input);
  const Dims strides = c_strides(rows_shape, input.dtype.size);
  const Tensor rows{nullptr, input.dtype, rows_shape, strides};
  return plan_call(Operator::kGather, input, rows, options);
}

Plan IndexPlan::State::plan_scatter_there(const Tensor& input, const Tensor& updates,
                                          Reduction reduction, Duplicates duplicates) const {
  check_device(Operator::kScatter, device);
  check_input(Operator::kScatter, input);
  return plan_call(Operator::kScatter, input, updates, scatter_options(reduction, duplicates));
}

void IndexPlan::check_gather(const Tensor& input) const { state_->plan_gather_there(input); }

void IndexPlan::check_scatter(const Tensor& input, const Tensor& updates, Reduction reduction,
                              Duplicates duplicates) const {
  state_->plan_scatter_there(input, updates, reduction, duplicates);
}

DeviceMemoryPtr IndexPlan::gather(const Tensor& input, DeviceMemory& input_memory,
                                  const std::byte* fill_value) const {
  const State& s = *state_;
  const Plan plan = s.plan_gather_there(input);
  check_fill(s.options.mode, fill_value);
  return s.device->gather(plan, input_memory, *s.tuples, fill_value);
}

DeviceMemoryPtr IndexPlan::scatter(const Tensor& input, const DeviceMemoryPtr& input_memory,
                                   const Tensor& updates, DeviceMemory& updates_memory,
                                   Reduction reduction, Duplicates duplicates,
                                   bool in_place) const {
  const State& s = *state_;
  const Plan plan = s.plan_scatter_there(input, updates, reduction, duplicates);
  return s.device->scatter(plan, input_memory, *s.tuples, updates_memory, in_place);
}

}  // namespace gathernd
