#include "gathernd/index_plan.hpp"

#include <optional>
#include <string>

#include "cpu/buffer.hpp"
#include "cpu/gather.hpp"
#include "cpu/reduce_sorted.hpp"
#include "cpu/resolved.hpp"
#include "cpu/scatter.hpp"
#include "gathernd/error.hpp"
#include "overlap.hpp"

namespace gathernd {
struct IndexPlan::State {
  Dims shape;
  Dims rows_shape;
  Dims indices_shape;
  DType index_type;
  PlanOptions options;
  Plan packed;
  std::optional<Resolved<uint32_t>> narrow;
  std::optional<Resolved<uint64_t>> wide;

  std::span<const int64_t> sizes() const {
    return {shape.begin(), static_cast<size_t>(packed.batch_dims + packed.depth)};
  }

  // The plan of one call; the indices stand there in shape only.
  Plan plan_call(Operator op, const Tensor& table, const Tensor& rows,
                 const PlanOptions& call_options) const {
    Dims strides;
    while (strides.size() < indices_shape.size()) strides.push_back(0);
    const Tensor indices{nullptr,
                         index_type,
                         {indices_shape.begin(), indices_shape.end()},
                         {strides.begin(), strides.end()}};
    return make_plan(op, table, indices, rows, call_options);
  }

  void check_input(Operator op, const Tensor& input) const {
    const std::span expected(shape.begin(), shape.end());
    if (same_shape(input.shape, expected)) return;
    throw Error(ErrorKind::kValue, std::string(name(op)) + ": input must have the plan's shape " +
                                       text(expected) + ", not " + text(input.shape));
  }

  // Calls f with the tuples that are held.
  template <class F>
  decltype(auto) visit(F f) const {
    return packed.wide ? f(*wide) : f(*narrow);
  }
};

IndexPlan::IndexPlan(std::span<const int64_t> shape, const Tensor& indices, int64_t batch_dims,
                     Mode mode)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.shape = Dims(shape);
  s.indices_shape = Dims(indices.shape);
  s.index_type = indices.dtype;
  s.options = {batch_dims, mode == Mode::kDrop ? Mode::kFill : mode};
  s.rows_shape = gathernd::rows_shape(Operator::kGather, shape, indices, batch_dims);
  const DType bytes{Kind::kUInt8, 1};
  const Dims strides = c_strides(shape, 1), row_strides = c_strides(s.rows_shape, 1);
  const Tensor table{nullptr, bytes, shape, {strides.begin(), strides.end()}};
  const Tensor rows{nullptr, bytes, rows_shape(), {row_strides.begin(), row_strides.end()}};
  s.packed = make_plan(Operator::kGather, table, indices, rows, s.options);
  if (s.packed.wide) {
    s.wide.emplace(s.packed, indices.data);
  } else {
    s.narrow.emplace(s.packed, indices.data);
  }
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
  return state_->visit([](const auto& resolved) { return resolved.is_unique(); });
}

bool IndexPlan::is_sorted() const {
  return state_->visit([](const auto& resolved) { return resolved.is_sorted(); });
}

size_t IndexPlan::bytes() const {
  return sizeof(State) + state_->visit([](const auto& resolved) { return resolved.bytes(); });
}

void IndexPlan::gather(const Tensor& input, const Tensor& output, const std::byte* fill_value,
                       bool fresh_output) const {
  const State& s = *state_;
  s.check_input(Operator::kGather, input);
  check_fill(s.options.mode, fill_value);
  gather_apart(input, output, fresh_output, [&](const Tensor& to, bool) {
    const Plan plan = s.plan_call(Operator::kGather, input, to, s.options);
    if (plan.tuples == 0) return;
    s.visit([&](const auto& resolved) {
      const auto offsets = resolved.offsets();
      const Translator translator(s.packed, plan, s.sizes());
      if (!translator.needed()) {
        return gather_resolved(plan, input, offsets.data(), to, fill_value);
      }
      const auto run = [&]<class O>(O) {
        const Buffer<O> there(offsets.size());
        std::ranges::transform(offsets, there.data(),
                               [&](auto offset) { return translator.translate<O>(offset); });
        gather_resolved(plan, input, there.data(), to, fill_value);
      };
      return plan.wide ? run(uint64_t{}) : run(uint32_t{});
    });
  });
}

void IndexPlan::scatter(const Tensor& input, const Tensor& updates, const Tensor& output,
                        Reduction reduction, Duplicates duplicates) const {
  const State& s = *state_;
  s.check_input(Operator::kScatter, input);
  check_scatter_output(input, output);
  PlanOptions options{s.options.batch_dims, s.options.mode, reduction, duplicates};
  if (options.mode == Mode::kFill) options.mode = Mode::kDrop;
  scatter_apart(input, updates, output, [&](const Tensor& rows, const Tensor& to) {
    const Plan plan = s.plan_call(Operator::kScatter, to, rows, options);
    s.visit([&]<class From>(const Resolved<From>& resolved) {
      const auto offsets = resolved.offsets();
      if (duplicates == Duplicates::kError && !resolved.is_unique()) {
        check_duplicates(plan, offsets.data());
      }
      const Translator translator(s.packed, plan, s.sizes());
      if (!translator.needed()) {
        KnownTuples<From> tuples{offsets.data()};
        if (needs_sorting(plan)) {
          tuples.order = &resolved.sorted();
        } else if (resolved.is_sorted()) {
          tuples.is_sorted = true;
        } else if (gains_by_order(plan)) {
          tuples.order = &resolved.grouped();
        }
        return scatter_resolved(plan, input, tuples, rows, to);
      }
      const auto run = [&]<class To>(To) {
        const Buffer<To> there(offsets.size());
        std::ranges::transform(offsets, there.data(),
                               [&](auto offset) { return translator.translate<To>(offset); });
        scatter_resolved<To>(plan, input, {there.data()}, rows, to);
      };
      return plan.wide ? run(uint64_t{}) : run(uint32_t{});
    });
  });
}

}  // namespace gathernd
