#include "gathernd/plan.hpp"

#include <cstdlib>
#include <numeric>
#include <string>

#include "checked.hpp"
#include "gathernd/error.hpp"
#include "gathernd/gathernd.hpp"
#include "layout.hpp"

namespace gathernd {
namespace {

[[noreturn]] void fail(ErrorKind kind, Operator op, const std::string& what) {
  throw Error(kind, std::string(name(op)) + ": " + what);
}

void check_types(Operator op, const Tensor& table, const Tensor& rows, const PlanOptions& options) {
  const Kind kind = table.dtype.kind;
  if (table.dtype != rows.dtype) {
    fail(ErrorKind::kType, op,
         std::string(op == Operator::kScatter ? "updates" : "out") + " must have input's dtype " +
             name(table.dtype) + ", not " + name(rows.dtype));
  }
  if (!is_reducible(kind, options.reduction)) {
    const bool unnamed = kind == Kind::kOther && table.dtype.other == nullptr;
    std::string hint;
    if (kind == Kind::kBool) hint = "; for bool use \"or\", \"and\" or \"xor\"";
    if (kind == Kind::kDatetime || kind == Kind::kTimedelta) {
      hint = "; reduce its ticks as x.view(\"int64\")";
    }
    fail(ErrorKind::kType, op,
         std::string("reduction \"") + name(options.reduction) + "\" is not defined for " +
             (unnamed ? "this dtype" : name(table.dtype)) + hint);
  }
  if (options.reduction != Reduction::kNone && !table.dtype.native) {
    fail(ErrorKind::kType, op,
         std::string("reduction \"") + name(options.reduction) +
             "\" needs native byte order; convert with x.astype(x.dtype.newbyteorder(\"=\"))");
  }
}

void check_rank(Operator op, size_t rank, const char* what) {
  if (rank <= static_cast<size_t>(kMaxRank)) return;
  fail(ErrorKind::kValue, op,
       std::string(what) + " has " + std::to_string(rank) + " dimensions; the limit is " +
           std::to_string(kMaxRank));
}

void check_index_type(Operator op, const DType& dtype) {
  if (is_index(dtype.kind)) return;
  fail(ErrorKind::kType, op,
       std::string("indices must be int8 to int64 or uint8 to uint64, not ") + name(dtype) +
           (dtype.kind == Kind::kBool ? "; the tuples of a mask are np.argwhere(mask)" : ""));
}

void check_options(Operator op, const PlanOptions& options) {
  const Mode other = op == Operator::kScatter ? Mode::kFill : Mode::kDrop;
  if (options.mode == other) {
    fail(ErrorKind::kValue, op,
         std::string("mode must be \"raise\", \"clip\", \"wrap\" or ") +
             (op == Operator::kScatter ? "\"drop\"" : "\"fill\"") + ", not \"" + name(other) +
             "\"");
  }
  if (options.reduction != Reduction::kNone && options.duplicates != Duplicates::kLast) {
    fail(ErrorKind::kValue, op,
         std::string("duplicates goes with reduction=\"none\"; \"") + name(options.reduction) +
             "\" takes every update");
  }
}

// Table offsets: common unit, bias for negative strides, bound.
void plan_offsets(const Tensor& table, Plan* plan) {
  const auto shape = table.shape.first(static_cast<size_t>(plan->batch_dims + plan->depth));
  // Strides of a table without bytes mean nothing: number its slices instead.
  int64_t elements;
  const bool empty =
      table.dtype.size == 0 || (count_elements(table.shape, &elements) && elements == 0);
  Dims sizes(shape);
  for (int64_t& size : sizes) size = std::max<int64_t>(size, 1);
  const std::span<const int64_t> numbered(sizes.begin(), sizes.end());
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
  plan->scale = scale == 0 ? 1 : scale;
  plan->span = static_cast<uint64_t>(reach / plan->scale) + 1;

  for (int i = 0; i < bytes.size(); ++i) {
    plan->units.push_back(shape[static_cast<size_t>(i)] > 1 ? bytes[i] / plan->scale : 0);
  }
  const std::span units(plan->units.begin(), plan->units.end());
  const auto batch = static_cast<size_t>(plan->batch_dims);
  plan->dims = Dims(shape.subspan(batch));
  plan->strides = Dims(units.subspan(batch));
  Dims batch_strides(units.first(batch));
  while (batch_strides.size() < plan->positions.size()) batch_strides.push_back(0);
  plan->batch_walk = make_walk(plan->positions, batch_strides);
}

}  // namespace

Dims rows_shape(Operator op, std::span<const int64_t> input, const Tensor& index_tensor,
                int64_t batch_dims) {
  check_index_type(op, index_tensor.dtype);
  const std::span<const int64_t> indices = index_tensor.shape;
  check_rank(op, input.size(), "input");
  check_rank(op, indices.size(), "indices");
  if (indices.empty()) {
    fail(ErrorKind::kValue, op, "indices must have a last dimension, the tuple length; it is 0-d");
  }
  const auto limit = static_cast<int64_t>(std::min(input.size(), indices.size() - 1));
  if (batch_dims < 0 || batch_dims > limit) {
    fail(ErrorKind::kValue, op,
         "batch_dims must be from 0 to " + std::to_string(limit) + " for input of shape " +
             text(input) + " and indices of shape " + text(indices) + ", not " +
             std::to_string(batch_dims));
  }
  const auto batch = static_cast<size_t>(batch_dims);
  if (!same_shape(input.first(batch), indices.first(batch))) {
    fail(ErrorKind::kValue, op,
         "the batch dimensions of input " + text(input.first(batch)) + " and of indices " +
             text(indices.first(batch)) + " must be equal");
  }
  const int64_t depth = indices.back();
  const auto left = static_cast<int64_t>(input.size() - batch);
  if (depth > left) {
    fail(ErrorKind::kValue, op,
         "the last dimension of indices, the tuple length, must be at most " +
             std::to_string(left) + " for input of shape " + text(input) +
             " and batch_dims=" + std::to_string(batch_dims) + ", not " + std::to_string(depth) +
             (indices.size() == 1 ? "; one index a slice is indices[:, np.newaxis]" : ""));
  }
  const auto slice = input.subspan(batch + static_cast<size_t>(depth));
  const size_t rank = indices.size() - 1 + slice.size();
  if (rank > static_cast<size_t>(kMaxRank)) {
    fail(ErrorKind::kValue, op,
         "the result would have " + std::to_string(rank) + " dimensions; the limit is " +
             std::to_string(kMaxRank));
  }
  Dims shape(indices.first(indices.size() - 1));
  shape.append(slice);
  int64_t count;
  if (!count_elements(shape, &count)) {
    fail(ErrorKind::kValue, op, "a result of shape " + text(shape) + " is too big");
  }
  return shape;
}

void check_view(Operator op, const Tensor& tensor, const char* what) {
  check_rank(op, tensor.shape.size(), what);
  Extent extent;
  if (!find_extent(tensor, &extent)) {
    fail(ErrorKind::kValue, op,
         std::string("the strides of ") + what + ", " + text(tensor.strides) + " for shape " +
             text(tensor.shape) + ", reach past the address space");
  }
}

void check_fill(Mode mode, const std::byte* fill_value) {
  if (mode == Mode::kFill && fill_value == nullptr) {
    fail(ErrorKind::kValue, Operator::kGather, "mode \"fill\" needs a fill_value");
  }
}

Plan make_plan(Operator op, const Tensor& table, const Tensor& indices, const Tensor& rows,
               const PlanOptions& options) {
  check_options(op, options);
  const Dims shape = rows_shape(op, table.shape, indices, options.batch_dims);
  check_types(op, table, rows, options);
  int64_t bytes;
  if (!count_elements({shape.begin(), shape.end()}, &bytes) ||
      !checked_mul(bytes, table.dtype.size, &bytes)) {
    fail(ErrorKind::kValue, op,
         "a result of shape " + text({shape.begin(), shape.end()}) + " is too big");
  }
  if (!same_shape(shape, rows.shape)) {
    fail(ErrorKind::kValue, op,
         std::string(op == Operator::kScatter ? "updates" : "out") + " must have shape " +
             text(shape) + " (input is " + text(table.shape) + ", indices is " +
             text(indices.shape) + "), not " + text(rows.shape));
  }
  check_view(op, table, op == Operator::kScatter ? "out" : "input");
  check_view(op, indices, "indices");
  check_view(op, rows, op == Operator::kScatter ? "updates" : "out");

  Plan plan;
  plan.op = op;
  plan.mode = options.mode;
  plan.reduction = options.reduction;
  plan.duplicates = options.duplicates;
  plan.dtype = table.dtype;
  plan.batch_dims = static_cast<int>(options.batch_dims);

  const auto outer = indices.shape.first(indices.shape.size() - 1);
  plan.positions = Dims(outer);
  plan.index_type = indices.dtype;
  plan.depth = static_cast<int>(indices.shape.back());
  if (!count_elements(outer, &plan.tuples)) {
    fail(ErrorKind::kValue, op, "indices of shape " + text(indices.shape) + " is too big");
  }
  if (plan.tuples == 0) return plan;

  plan.index_walk = make_walk(outer, indices.strides.first(outer.size()));
  plan.component_stride = indices.strides.back();
  plan_offsets(table, &plan);
  constexpr uint64_t kNarrow = UINT32_MAX;  // the largest offset itself marks "no slice"
  plan.wide = plan.span >= kNarrow || static_cast<uint64_t>(plan.tuples) >= kNarrow;
  plan.row_walk = make_walk(outer, rows.strides.first(outer.size()));

  const auto indexed = static_cast<size_t>(plan.batch_dims + plan.depth);
  plan.slice = make_slice(table.shape.subspan(indexed), table.strides.subspan(indexed),
                          rows.strides.subspan(outer.size()), table.dtype.size);
  return plan;
}

}  // namespace gathernd
