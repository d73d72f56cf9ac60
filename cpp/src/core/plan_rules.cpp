#include "core/plan_rules.hpp"

#include <algorithm>

#include "core/kinds.hpp"
#include "core/layout.hpp"
#include "core/options.hpp"
#include "core/reductions.hpp"
#include "gathernd/gathernd.hpp"

namespace gathernd {
namespace {

void check_rank(Operator op, size_t rank, const char* what) {
  if (rank <= static_cast<size_t>(kMaxRank)) return;
  fail(ErrorKind::kValue, op,
       std::string(what) + " has " + std::to_string(rank) + " dimensions; the limit is " +
           std::to_string(kMaxRank));
}

void check_sizes(Operator op, std::span<const int64_t> shape, const char* what) {
  check_rank(op, shape.size(), what);
  if (std::ranges::all_of(shape, [](int64_t size) { return size >= 0; })) return;
  fail(ErrorKind::kValue, op,
       std::string("the sizes of ") + what + " must be 0 or more, not " + text(shape));
}

// The name of the table in messages.
const char* table_name(Operator op) { return op == Operator::kIndexPlan ? "shape" : "input"; }

std::string of_shape(Operator op, std::span<const int64_t> input) {
  return std::string(table_name(op)) + (op == Operator::kIndexPlan ? " " : " of shape ") +
         text(input);
}

constexpr char kOneIndex[] =
    "; pass one index per slice as indices[..., np.newaxis], those of x[i, j] as "
    "np.stack((i, j), axis=-1)";

// Workarounds that also treat NaT correctly.
const char* hint_for_times(Reduction reduction) {
  return facts_of(reduction).family == kSums
             ? "; view it as timedelta64 of its unit, datetime64[D] by x.view(\"m8[D]\"), and the "
               "result back"
             : "; its ticks are x.view(\"int64\"), where NaT is the number -2**63";
}

}  // namespace

void check_index_type(Operator op, const DType& dtype) {
  if (is_index(dtype.kind)) return;
  fail(ErrorKind::kType, op,
       std::string(kIndexTypes) + name(dtype) +
           (dtype.kind == Kind::kBool ? "; the tuples of a mask are np.argwhere(mask)" : ""));
}

PlanOptions plan_options_of(const ScatterOptions& options) {
  return {options.batch_dims, options.mode, options.reduction, options.duplicates,
          options.wrap_negative_indices};
}

void fail(ErrorKind kind, Operator op, const std::string& what) {
  throw Error(kind, std::string(name(op)) + ": " + what);
}

void check_options(Operator op, const PlanOptions& options) {
  if (!is_one_of(all_modes(), options.mode) || !is_one_of(all_reductions(), options.reduction) ||
      !is_one_of(all_duplicates(), options.duplicates)) {
    fail(ErrorKind::kValue, op, "mode, reduction and duplicates must be enumerators");
  }
  if (!takes(op, options.mode)) {
    const std::string given = std::string("\"") + name(options.mode) + "\"";
    fail(ErrorKind::kValue, op, must_be_one(op, "mode", all_modes(), given));
  }
  if (options.reduction != Reduction::kNone && options.duplicates != Duplicates::kLast) {
    fail(ErrorKind::kValue, op,
         std::string("duplicates goes with reduction=\"none\"; \"") + name(options.reduction) +
             "\" takes every update");
  }
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
    if (is_time(kind)) hint = hint_for_times(options.reduction);
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

Dims rows_shape(Operator op, std::span<const int64_t> input, const Tensor& index_tensor,
                int64_t batch_dims) {
  check_index_type(op, index_tensor.dtype);
  const std::span<const int64_t> indices = index_tensor.shape;
  check_sizes(op, input, table_name(op));
  check_sizes(op, indices, "indices");
  if (indices.empty()) {
    fail(ErrorKind::kValue, op, "indices must have a last dimension, the tuple length; it is 0-d");
  }
  const auto limit = static_cast<int64_t>(std::min(input.size(), indices.size() - 1));
  if (batch_dims < 0 || batch_dims > limit) {
    fail(ErrorKind::kValue, op,
         "batch_dims must be from 0 to " + std::to_string(limit) + " for " + of_shape(op, input) +
             " and indices of shape " + text(indices) + ", not " + std::to_string(batch_dims) +
             (batch_dims == limit + 1 && input.size() > indices.size() - 1 ? kOneIndex : ""));
  }
  const auto batch = static_cast<size_t>(batch_dims);
  if (!same_shape(input.first(batch), indices.first(batch))) {
    fail(ErrorKind::kValue, op,
         std::string("the batch dimensions of ") + table_name(op) + " " + text(input.first(batch)) +
             " and of indices " + text(indices.first(batch)) + " must be equal");
  }
  const int64_t depth = indices.back();
  const auto left = static_cast<int64_t>(input.size() - batch);
  if (depth > left) {
    fail(ErrorKind::kValue, op,
         "the last dimension of indices, the tuple length, must be at most " +
             std::to_string(left) + " for " + of_shape(op, input) + " and batch_dims=" +
             std::to_string(batch_dims) + ", not " + std::to_string(depth) + kOneIndex);
  }
  const auto slice = input.subspan(batch + static_cast<size_t>(depth));
  const bool scatters = op == Operator::kScatter;
  const size_t rank = indices.size() - 1 + slice.size();
  if (rank > static_cast<size_t>(kMaxRank)) {
    fail(ErrorKind::kValue, op,
         std::string(scatters ? "updates" : "the result") + " would have " + std::to_string(rank) +
             " dimensions; the limit is " + std::to_string(kMaxRank));
  }
  Dims shape(indices.first(indices.size() - 1));
  shape.append(slice);
  int64_t count;
  if (!count_elements(shape, &count)) {
    fail(ErrorKind::kValue, op,
         (scatters ? "updates of shape " : "a result of shape ") + text(shape) +
             (scatters ? " are too big" : " is too big"));
  }
  return shape;
}

void check_view(Operator op, const Tensor& tensor, const char* what) {
  check_rank(op, tensor.shape.size(), what);
  if (tensor.strides.size() != tensor.shape.size()) {
    fail(ErrorKind::kValue, op,
         std::string(what) + " has " + std::to_string(tensor.strides.size()) + " strides for " +
             std::to_string(tensor.shape.size()) + " dimensions");
  }
  if (!has_size_of_kind(tensor.dtype)) {
    fail(ErrorKind::kType, op,
         std::string("the elements of ") + what + ", of dtype " + name(tensor.dtype) +
             ", cannot have " + std::to_string(tensor.dtype.size) + " bytes");
  }
  Extent extent;
  if (find_extent(tensor, &extent)) return;
  if (op == Operator::kIndexPlan) {  // its tensors have only a shape
    fail(ErrorKind::kValue, op,
         "an array of shape " + text(tensor.shape) + " reaches past the address space");
  } else {
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

void check_has_winners(Reduction reduction) {
  if (reduction == Reduction::kNone || reduction == Reduction::kMin ||
      reduction == Reduction::kMax) {
    return;
  }
  throw Error(ErrorKind::kValue,
              std::string("winners: there is no winning update with reduction \"") +
                  name(reduction) + "\"; it must be \"none\", \"min\" or \"max\"");
}

}  // namespace gathernd
