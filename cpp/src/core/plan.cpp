#include "gathernd/plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>

#include "core/checked.hpp"
#include "core/layout.hpp"
#include "core/plan_rules.hpp"
#include "core/reductions.hpp"

namespace gathernd {
namespace {

Walk walk_batches(const Plan& plan) {
  const auto batch = static_cast<size_t>(plan.batch_dims);
  Dims strides(std::span<const int64_t>(plan.units).first(batch));
  while (strides.size() < plan.positions.size()) strides.push_back(0);
  return make_walk(plan.positions, strides);
}

// Table offsets: the common unit, the bias for negative strides, the upper bound.
void plan_offsets(const Tensor& table, Plan* plan) {
  const auto shape = table.shape.first(static_cast<size_t>(plan->batch_dims + plan->depth));
  // The strides of a table without bytes mean nothing: offsets number its slices instead.
  int64_t elements;
  const bool empty =
      table.dtype.size == 0 || (count_elements(table.shape, &elements) && elements == 0);
  Dims sizes(shape);
  for (int64_t& size : sizes) size = std::max<int64_t>(size, 1);
  const std::span<const int64_t> numbered(sizes);
  if (empty && !count_elements(numbered, &elements)) {
    fail(ErrorKind::kValue, plan->op, "an input of shape " + text(table.shape) + " is too big");
  }
  const Dims bytes = empty ? c_strides(numbered, 1) : Dims(table.strides.first(shape.size()));
  int64_t scale = 0;
  int64_t reach = 0;
  for (int i = 0; i < bytes.size(); ++i) {
    const int64_t last = shape[static_cast<size_t>(i)] - 1;
    if (last <= 0) continue;
    scale = std::gcd(scale, bytes[i]);
    reach += last * std::abs(bytes[i]);
    plan->bias += bytes[i] < 0 ? last * bytes[i] : 0;
  }
  // The only offset of one slice is 0, so it may count in any unit: the slice is packed. One
  // without elements may have more bytes in its shape than any memory.
  if (scale == 0) scale = empty ? 1 : plan->slice.bytes;
  plan->scale = scale;
  plan->span = static_cast<uint64_t>(reach / plan->scale) + 1;

  for (int i = 0; i < bytes.size(); ++i) {
    plan->units.push_back(shape[static_cast<size_t>(i)] > 1 ? bytes[i] / plan->scale : 0);
  }
  plan->dims = Dims(shape.subspan(static_cast<size_t>(plan->batch_dims)));
  plan->batch_walk = walk_batches(*plan);
}

// Component k of the plan's tuples, as tuples of one index.
Plan plan_component(const Plan& plan, const Tensor& component, int k) {
  Plan result;
  result.op = plan.op;
  result.mode = plan.mode;
  result.wrap_negative_indices = plan.wrap_negative_indices;
  result.tuples = plan.tuples;
  result.positions = plan.positions;
  result.index_type = component.dtype;
  result.index_walk = make_walk(plan.positions, component.strides);
  result.component_stride = component.dtype.size;
  result.depth = 1;
  result.dims.push_back(plan.dims[k]);
  result.scale = plan.scale;
  result.span = plan.span;
  result.wide = plan.wide;
  const int64_t unit = plan.units[plan.batch_dims + k];
  result.units.push_back(unit);
  if (k == 0) {
    result.batch_walk = plan.batch_walk;
    result.bias = plan.bias;
  } else if (unit < 0) {
    result.bias = (plan.dims[k] - 1) * unit * plan.scale;  // cannot wrap: part of the plan's bias
  }
  return result;
}

void plan_components(const Indices& indices, Plan* plan) {
  plan->components.clear();
  for (const Tensor& component : indices.components()) {
    plan->components.push_back(
        plan_component(*plan, component, static_cast<int>(plan->components.size())));
  }
}

// The positions of a plan without the dimensions along which only the same tuples, with rows that
// change nothing, repeat: a 0 stride can repeat more of them than any loop can visit. The first bad
// tuple stays the same. If duplicates or order matter, the innermost and the outermost such
// dimension keep size 2: so the first two equal tuples, and whether tuples ascend, stay the same.
Dims distinct_positions(const Plan& plan, const Indices& indices, const Tensor& rows) {
  const auto repeats = [&](int i) {
    const auto stays = [=](const Tensor& t) { return t.strides[static_cast<size_t>(i)] == 0; };
    const bool applies_rows = plan.slice.bytes != 0;
    if (applies_rows && (plan.op != Operator::kScatter || i < plan.batch_dims || !stays(rows) ||
                         !facts_of(plan.reduction).idempotent)) {
      return false;
    }
    if (plan.depth == 0) return true;
    return indices.components().empty() ? stays(indices.tuples())
                                        : std::ranges::all_of(indices.components(), stays);
  };
  Dims result = plan.positions;
  int outermost = -1, innermost = -1;
  for (int i = 0; i < result.size(); ++i) {
    if (result[i] <= 1 || !repeats(i)) continue;
    result[i] = 1;
    if (i < plan.batch_dims) continue;  // tuples of different batches are never equal
    if (outermost < 0) outermost = i;
    innermost = i;
  }
  const bool compares = plan.op == Operator::kIndexPlan || plan.duplicates == Duplicates::kError;
  if (compares && innermost >= 0) result[innermost] = result[outermost] = 2;
  return result;
}

}  // namespace

Plan make_plan(Operator op, const Tensor& table, const Indices& index_tensors, const Tensor& rows,
               const PlanOptions& options, const Dims* positions) {
  check_options(op, options);
  const Tensor& indices = index_tensors.tuples();
  const Dims shape = rows_shape(op, table.shape, indices, options.batch_dims);
  check_types(op, table, rows, options);
  int64_t bytes;
  if (!count_elements(shape, &bytes) || !checked_mul(bytes, table.dtype.size, &bytes)) {
    fail(ErrorKind::kValue, op, "a result of shape " + text(shape) + " is too big");
  }
  if (!same_shape(shape, rows.shape)) {
    fail(ErrorKind::kValue, op,
         std::string(op == Operator::kScatter ? "updates" : "out") + " must have shape " +
             text(shape) + " (input is " + text(table.shape) + ", indices is " +
             text(indices.shape) + "), not " + text(rows.shape) +
             (op == Operator::kScatter ? "; nothing is broadcast, see np.broadcast_to" : ""));
  }
  check_view(op, table, op == Operator::kScatter ? "out" : "input");
  check_view(op, indices, "indices");
  for (const Tensor& component : index_tensors.components()) {
    check_index_type(op, component.dtype);
    check_view(op, component, "indices");
  }
  check_view(op, rows, op == Operator::kScatter ? "updates" : "out");

  Plan plan;
  plan.op = op;
  plan.mode = options.mode;
  plan.reduction = options.reduction;
  plan.duplicates = options.duplicates;
  plan.wrap_negative_indices = options.wrap_negative_indices || options.mode == Mode::kWrap;
  plan.dtype = table.dtype;
  plan.batch_dims = static_cast<int>(options.batch_dims);

  const auto outer = indices.shape.first(indices.shape.size() - 1);
  plan.positions = plan.given_positions = Dims(outer);
  plan.index_type = indices.dtype;
  plan.depth = static_cast<int>(indices.shape.back());
  if (!count_elements(outer, &plan.tuples)) {
    fail(ErrorKind::kValue, op, "indices of shape " + text(indices.shape) + " is too big");
  }
  if (plan.tuples == 0) return plan;

  const auto indexed = static_cast<size_t>(plan.batch_dims + plan.depth);
  plan.slice = make_slice(table.shape.subspan(indexed), table.strides.subspan(indexed),
                          rows.strides.subspan(outer.size()), table.dtype.size);
  plan.positions =
      positions != nullptr ? *positions : distinct_positions(plan, index_tensors, rows);
  count_elements(plan.positions, &plan.tuples);
  plan.index_walk = make_walk(plan.positions, indices.strides.first(outer.size()));
  plan.component_stride = indices.strides.back();
  plan_offsets(table, &plan);
  constexpr uint64_t kNarrow = UINT32_MAX;  // the largest offset itself marks "no slice"
  plan.wide = plan.span >= kNarrow || static_cast<uint64_t>(plan.tuples) >= kNarrow;
  plan_components(index_tensors, &plan);
  plan.row_walk = make_walk(plan.positions, rows.strides.first(outer.size()));
  return plan;
}

Plan plan_check(const Plan& plan, const Indices& indices) {
  Plan check = plan;
  check.slice = {};
  check.reduction = Reduction::kNone;
  check.positions = distinct_positions(check, indices, {});
  count_elements(check.positions, &check.tuples);
  const auto strides = indices.tuples().strides;
  check.index_walk =
      make_walk(check.positions, strides.first(static_cast<size_t>(check.positions.size())));
  check.batch_walk = walk_batches(check);
  plan_components(indices, &check);
  return check;
}

}  // namespace gathernd
