#include "gathernd/index_plan.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "core/layout.hpp"
#include "core/plan_rules.hpp"
#include "cpu/few/few.hpp"
#include "gathernd/error.hpp"
#include "ops/apart.hpp"
#include "ops/backend_or_cpu.hpp"
#include "runtime/buffer.hpp"
#include "runtime/kept_memory.hpp"

namespace gathernd {
namespace {

constexpr auto kOp = Operator::kIndexPlan;

Dims checked_rows_shape(std::span<const int64_t> shape, const Tensor& indices, int64_t batch_dims) {
  if (std::ranges::any_of(shape, [](int64_t size) { return size < 0; })) {
    throw Error(ErrorKind::kValue,
                "IndexPlan: the sizes of shape must be at least 0, not " + text(shape));
  }
  return rows_shape(kOp, shape, indices, batch_dims);
}

}  // namespace

struct IndexPlan::State {
  State(std::span<const int64_t> shape_, const Tensor& indices, int64_t batch_dims, Mode mode,
        bool wrap_negative_indices)
      : rows_shape(checked_rows_shape(shape_, indices, batch_dims)),
        shape(shape_),
        indices_shape(indices.shape),
        index_type(indices.dtype),
        options{.batch_dims = batch_dims,
                .mode = mode == Mode::kDrop ? Mode::kFill : mode,
                .wrap_negative_indices = wrap_negative_indices} {}

  Dims rows_shape;  // made first, because that checks the number of dimensions
  Dims shape;
  Dims indices_shape;
  DType index_type;
  PlanOptions options;
  Dims positions;  // of the prepared tuples
  std::unique_ptr<PreparedTuples> tuples;
  DeviceTuples* device_tuples = nullptr;  // the same, if they are on a device
  std::optional<KnownFew> few;            // the same, if calls can go without a plan

  // prepare(plan): the tuples of a packed table.
  template <class Prepare>
  void set_tuples(const Indices& indices, Prepare prepare) {
    const DType byte{Kind::kUInt8, 1};
    const Dims strides = c_strides(shape, 1), row_strides = c_strides(rows_shape, 1);
    const Tensor table{nullptr, byte, shape_span(), strides};
    const Tensor rows{nullptr, byte, rows_shape, row_strides};
    const Plan plan = make_plan(kOp, table, indices, rows, options);
    positions = plan.positions;
    again_with_released([&] { tuples = prepare(plan); });
    device_tuples = dynamic_cast<DeviceTuples*>(tuples.get());
    const auto outer =
        std::span<const int64_t>(indices_shape).first(indices.tuples().shape.size() - 1);
    const uint32_t* const offsets = tuples->narrow_offsets();
    if (offsets == nullptr || leaves_holes(options.mode) || !same_shape(positions, outer)) return;
    few = {outer, static_cast<size_t>(options.batch_dims + indices_shape.back()), offsets,
           plan.scale};
  }

  std::span<const int64_t> shape_span() const { return {shape.begin(), shape.end()}; }

  void check_input(Operator op, const Tensor& input) const {
    if (same_shape(input.shape, shape)) return;
    throw Error(ErrorKind::kValue, std::string(name(op)) + ": input must have the plan's shape " +
                                       text(shape) + ", not " + text(input.shape));
  }

  // The same plan on the CPU.
  IndexPlan on_cpu() const {
    const Dims strides = c_strides(indices_shape, sizeof(int64_t));
    const auto count = static_cast<size_t>(count_elements(indices_shape));
    const Buffer<int64_t> indices(count);
    tuples->restore({indices.data(), count});
    const Tensor tensor{reinterpret_cast<std::byte*>(indices.data()),
                        {Kind::kInt64, sizeof(int64_t)},
                        indices_shape,
                        strides};
    return {shape_span(), tensor, options.batch_dims, options.mode};
  }

  DeviceTuples& on_device(Operator op) const {
    if (device_tuples != nullptr) return *device_tuples;
    throw Error(ErrorKind::kDevice,
                std::string(name(op)) + ": input is on a device, the IndexPlan on the CPU");
  }

  Plan plan_gather(const Tensor& input, const Tensor& rows) const {
    return plan_call(Operator::kGather, input, rows, options);
  }

  Plan plan_scatter(const Tensor& output, const Tensor& updates, Reduction reduction,
                    Duplicates duplicates) const {
    const Mode mode = options.mode == Mode::kFill ? Mode::kDrop : options.mode;
    return plan_call(
        Operator::kScatter, output, updates,
        {options.batch_dims, mode, reduction, duplicates, options.wrap_negative_indices});
  }

  // The same for packed memory of the device.
  Plan plan_gather_there(const Tensor& input) const {
    on_device(Operator::kGather);
    check_input(Operator::kGather, input);
    const Dims strides = c_strides(rows_shape, input.dtype.size);
    return plan_gather(input, {nullptr, input.dtype, rows_shape, strides});
  }

  Plan plan_scatter_there(const Tensor& input, const Tensor& updates, Reduction reduction,
                          Duplicates duplicates) const {
    on_device(Operator::kScatter);
    check_input(Operator::kScatter, input);
    return plan_scatter(input, updates, reduction, duplicates);
  }

 private:
  // The indices are already resolved: only their shape matters.
  Plan plan_call(Operator op, const Tensor& table, const Tensor& rows,
                 const PlanOptions& call_options) const {
    const Dims strides = c_strides(indices_shape, 0);
    const Tensor indices{nullptr, index_type, indices_shape, strides};
    return make_plan(op, table, indices, rows, call_options, &positions);
  }
};

IndexPlan::IndexPlan(std::span<const int64_t> shape, const Indices& indices, int64_t batch_dims,
                     Mode mode, Backend* backend, bool wrap_negative_indices)
    : state_(std::make_unique<State>(shape, indices.tuples(), batch_dims, mode,
                                     wrap_negative_indices)) {
  state_->set_tuples(
      indices, [&](const Plan& plan) { return backend_or_cpu(backend).prepare(plan, indices); });
}

IndexPlan::IndexPlan(std::span<const int64_t> shape, const Tensor& indices, DeviceMemory& memory,
                     int64_t batch_dims, Mode mode, DeviceBackend& device,
                     bool wrap_negative_indices)
    : state_(std::make_unique<State>(shape, indices, batch_dims, mode, wrap_negative_indices)) {
  state_->set_tuples(indices, [&](const Plan& plan) { return device.prepare(plan, memory); });
}

IndexPlan::~IndexPlan() = default;
IndexPlan::IndexPlan(IndexPlan&&) noexcept = default;

std::span<const int64_t> IndexPlan::shape() const { return state_->shape_span(); }

std::span<const int64_t> IndexPlan::rows_shape() const {
  return {state_->rows_shape.begin(), state_->rows_shape.end()};
}

bool IndexPlan::is_unique() const { return state_->tuples->is_unique(); }

bool IndexPlan::is_sorted() const { return state_->tuples->is_sorted(); }

bool IndexPlan::is_on_device() const { return state_->device_tuples != nullptr; }

size_t IndexPlan::bytes() const { return sizeof(State) + state_->tuples->bytes(); }

std::span<const int64_t> IndexPlan::indices_shape() const {
  return {state_->indices_shape.begin(), state_->indices_shape.end()};
}

const PlanOptions& IndexPlan::options() const { return state_->options; }

void IndexPlan::restore_indices(std::span<int64_t> to) const {
  const State& s = *state_;
  if (std::ssize(to) != count_elements(s.indices_shape)) {
    throw Error(ErrorKind::kValue, "IndexPlan: there are " +
                                       std::to_string(count_elements(s.indices_shape)) +
                                       " indices, not " + std::to_string(to.size()));
  }
  s.tuples->restore(to);
}

Dims IndexPlan::result_strides(const Tensor& input, const Tensor& updates) const {
  check_view(Operator::kScatter, input, "input");
  if (state_->device_tuples != nullptr) return c_strides(input.shape, input.dtype.size);
  const int64_t indexed = state_->options.batch_dims + state_->indices_shape.back();
  return gathernd::result_strides(input, indexed, updates);
}

void IndexPlan::gather(const Tensor& input, const Tensor& output, const std::byte* fill_value,
                       bool fresh_output) const {
  const State& s = *state_;
  s.check_input(Operator::kGather, input);
  if (s.few && gather_few(input, *s.few, output, fresh_output)) return;
  check_fill(s.options.mode, fill_value);
  const auto run = [&](const Tensor& to, bool fresh) {
    const Plan plan = s.plan_gather(input, to);
    if (plan.tuples != 0) s.tuples->gather(plan, input, to, fill_value, fresh);
  };
  gather_apart(input, output, fresh_output, [&] { s.plan_gather(input, output); }, run);
}

void IndexPlan::scatter(const Tensor& input, const Tensor& updates, const Tensor& output,
                        Reduction reduction, Duplicates duplicates, bool fresh_output) const {
  const State& s = *state_;
  s.check_input(Operator::kScatter, input);
  if (s.few && scatter_few(input, *s.few, updates, output, reduction, duplicates)) return;
  check_scatter_output(input, output);
  const auto plan_for = [&](const Tensor& rows, const Tensor& to) {
    return s.plan_scatter(to, rows, reduction, duplicates);
  };
  const auto run = [&](const Tensor& rows, const Tensor& to, bool fresh) {
    // As in scatter_nd.
    if (to.dtype.fields != nullptr && s.device_tuples != nullptr) {
      return s.on_cpu().scatter(input, rows, to, reduction, duplicates, fresh);
    }
    s.tuples->scatter(plan_for(rows, to), input, rows, to, fresh);
  };
  const auto check = [&] { plan_for(updates, output); };
  scatter_apart(input, updates, output, fresh_output, check, run);
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
  return s.device_tuples->gather(plan, input_memory, fill_value);
}

DeviceMemoryPtr IndexPlan::scatter(const Tensor& input, const DeviceMemoryPtr& input_memory,
                                   const Tensor& updates, DeviceMemory& updates_memory,
                                   Reduction reduction, Duplicates duplicates,
                                   bool in_place) const {
  const State& s = *state_;
  const Plan plan = s.plan_scatter_there(input, updates, reduction, duplicates);
  return s.device_tuples->scatter(plan, input_memory, updates_memory, in_place);
}

}  // namespace gathernd
