#include "gathernd/index_plan.hpp"

#include <algorithm>

#include "core/plan_rules.hpp"
#include "cpu/gather/gather.hpp"
#include "cpu/scatter/scatter.hpp"
#include "gathernd/error.hpp"
#include "ops/apart.hpp"
#include "ops/index_plan_state.hpp"
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

// Where the tuple of each given position is among those of a plan.
Walk walk_given(const Plan& plan) {
  Dims strides = c_strides(plan.positions, 1);
  for (int i = 0; i < strides.size(); ++i) {
    if (plan.positions[i] != plan.given_positions[i]) strides[i] = 0;
  }
  return make_walk(plan.given_positions, strides);
}

// The tuple of an offset that numbers a slice of `sizes`, batches among them.
template <class O>
void write_tuple(O offset, std::span<const int64_t> sizes, int depth, int64_t* to) {
  auto rest = static_cast<uint64_t>(offset);
  for (int64_t i = std::ssize(sizes) - 1, k = depth - 1; k >= 0; --i, --k) {
    const auto size = static_cast<uint64_t>(sizes[static_cast<size_t>(i)]);
    const bool is_hole = offset == kNoSlice<O>;
    to[k] = static_cast<int64_t>(is_hole ? size : rest % size);
    if (!is_hole) rest /= size;
  }
}

// What the strategy needs of the tuples, made if no call has needed it before.
template <class O>
KnownTuples<O> kept_for(const ScatterStrategy& strategy, const Plan& plan,
                        const Resolved<O>& resolved) {
  KnownTuples<O> result{resolved.offsets().data()};
  const bool has_order = strategy.kept == Kept::kOrder || strategy.kept == Kept::kRanks;
  if (has_order) {
    const bool by_slice = strategy.way == ScatterWay::kRuns;
    result.order = by_slice ? &resolved.sorted() : &resolved.grouped();
  }
  if (strategy.kept == Kept::kRanks) result.ranks = resolved.ranks();
  if (strategy.kept == Kept::kWinners) result.winners = &resolved.winners(plan);
  return result;
}

}  // namespace

IndexPlan::State::State(std::span<const int64_t> shape_, const Tensor& indices, int64_t batch_dims,
                        Mode mode, bool wrap_negative_indices)
    : rows_shape(checked_rows_shape(shape_, indices, batch_dims)),
      shape(shape_),
      indices_shape(indices.shape),
      index_type(indices.dtype),
      options{.batch_dims = batch_dims,
              .mode = mode == Mode::kDrop ? Mode::kFill : mode,
              .wrap_negative_indices = wrap_negative_indices} {
  const DType bytes{Kind::kUInt8, 1};
  const Dims strides = c_strides(shape_, 1), row_strides = c_strides(rows_shape, 1);
  const Tensor table{nullptr, bytes, shape_, strides};
  const Tensor rows{nullptr, bytes, rows_shape, row_strides};
  packed = make_plan(kOp, table, indices, rows, options);
}

IndexPlan::IndexPlan(std::span<const int64_t> shape, const Tensor& indices, int64_t batch_dims,
                     Mode mode, DeviceBackend* device, bool wrap_negative_indices)
    : state_(std::make_unique<State>(shape, indices, batch_dims, mode, wrap_negative_indices)) {
  State& s = *state_;
  s.device = device;
  again_with_released([&] {
    if (device != nullptr) {
      s.tuples =
          device->prepare(s.packed, *device->upload(AtPositions(s.packed, indices).tensor()));
    } else if (s.packed.wide) {
      s.wide.emplace(s.packed, indices);
    } else {
      s.narrow.emplace(s.packed, indices);
    }
  });
}

IndexPlan::~IndexPlan() = default;
IndexPlan::IndexPlan(IndexPlan&&) noexcept = default;

std::span<const int64_t> IndexPlan::shape() const {
  return {state_->shape.begin(), state_->shape.end()};
}

std::span<const int64_t> IndexPlan::rows_shape() const {
  return {state_->rows_shape.begin(), state_->rows_shape.end()};
}

bool IndexPlan::is_unique() const {
  if (state_->device != nullptr) return state_->look().is_unique;
  return state_->visit([](const auto& resolved) { return resolved.is_unique(); });
}

bool IndexPlan::is_sorted() const {
  if (state_->device != nullptr) return state_->look().is_sorted;
  return state_->visit([](const auto& resolved) { return resolved.is_sorted(); });
}

size_t IndexPlan::bytes() const {
  if (state_->device != nullptr) return sizeof(State) + state_->tuples->bytes();
  return sizeof(State) + state_->visit([](const auto& resolved) { return resolved.bytes(); });
}

std::span<const int64_t> IndexPlan::indices_shape() const {
  return {state_->indices_shape.begin(), state_->indices_shape.end()};
}

const PlanOptions& IndexPlan::options() const { return state_->options; }

void IndexPlan::restore_indices(std::span<int64_t> to) const {
  const State& s = *state_;
  if (to.empty()) return;
  const int depth = s.packed.depth;
  const Walk walk = walk_given(s.packed);
  const auto write = [&](const auto& resolved) {
    const auto* offsets = resolved.offsets().data();
    const auto n = std::ssize(to) / depth;
    parallel_for(n, grain_for(8 * std::ssize(s.sizes())), 1, [&](int64_t begin, int64_t end) {
      int64_t* tuple = to.data() + begin * depth;
      for_each_run(walk, begin, end - begin, [&](int64_t at, int64_t step, int64_t count) {
        for (int64_t t = 0; t < count; ++t, tuple += depth) {
          write_tuple(offsets[at + t * step], s.sizes(), depth, tuple);
        }
      });
    });
  };
  if (s.device == nullptr) return s.visit(write);
  s.bring_here().state_->visit(write);
}

Dims IndexPlan::result_strides(const Tensor& input, const Tensor& updates) const {
  if (state_->device != nullptr) return c_strides(input.shape, input.dtype.size);
  const int64_t indexed = state_->options.batch_dims + state_->indices_shape.back();
  return gathernd::result_strides(input, indexed, updates);
}

void IndexPlan::gather(const Tensor& input, const Tensor& output, const std::byte* fill_value,
                       bool fresh_output) const {
  const State& s = *state_;
  s.check_input(Operator::kGather, input);
  check_fill(s.options.mode, fill_value);
  const auto plan_for = [&](const Tensor& to) {
    return s.plan_call(Operator::kGather, input, to, s.options);
  };
  const auto run = [&](const Tensor& to, bool fresh) {
    const Plan plan = plan_for(to);
    if (plan.tuples == 0) return;
    if (s.device != nullptr) {
      return s.device->gather(plan, input, *s.tuples, to, fill_value, fresh);
    }
    s.visit([&](const auto& resolved) {
      const auto offsets = resolved.offsets();
      const Translator translator(s.packed, plan, s.sizes());
      if (!translator.needed()) {
        return gather_resolved(plan, input, offsets.data(), to, fill_value);
      }
      translator.translate(
          offsets, [&](auto* there) { gather_resolved(plan, input, there, to, fill_value); });
    });
  };
  gather_apart(input, output, fresh_output, [&] { plan_for(output); }, run);
}

void IndexPlan::scatter(const Tensor& input, const Tensor& updates, const Tensor& output,
                        Reduction reduction, Duplicates duplicates, bool fresh_output) const {
  const State& s = *state_;
  s.check_input(Operator::kScatter, input);
  check_scatter_output(input, output);
  const PlanOptions options = s.scatter_options(reduction, duplicates);
  const auto plan_for = [&](const Tensor& rows, const Tensor& to) {
    return s.plan_call(Operator::kScatter, to, rows, options);
  };
  const auto run = [&](const Tensor& rows, const Tensor& to, bool fresh) {
    const Plan plan = plan_for(rows, to);
    if (s.device != nullptr) return s.device->scatter(plan, input, *s.tuples, rows, to, fresh);
    s.visit([&]<class From>(const Resolved<From>& resolved) {
      const auto offsets = resolved.offsets();
      if (duplicates == Duplicates::kError && !resolved.is_unique()) {
        check_duplicates(plan, resolved.sorted());
      }
      const Translator translator(s.packed, plan, s.sizes());
      if (!translator.needed()) {
        const ScatterStrategy strategy = choose_scatter(
            plan, {.is_resolved = true, .can_keep = true, .ascends = resolved.ascends()});
        return scatter_resolved(plan, strategy, input, kept_for(strategy, plan, resolved), rows,
                                to);
      }
      const ScatterStrategy strategy = choose_scatter(plan, {.is_resolved = true});
      translator.translate(offsets, [&]<class To>(To* there) {
        scatter_resolved<To>(plan, strategy, input, {there}, rows, to);
      });
    });
  };
  const auto check = [&] { plan_for(updates, output); };
  scatter_apart(input, updates, output, fresh_output, check, run);
}

}  // namespace gathernd
