#include "cpu/few/few.hpp"

#include <string>

#include "core/options.hpp"
#include "core/overlap.hpp"
#include "cpu/few/few_slices.hpp"
#include "cpu/gather/strategy.hpp"
#include "cpu/scatter/strategy.hpp"
#include "hwy/base.h"
#include "runtime/trace.hpp"

namespace gathernd {
namespace {

struct Few {};

std::string text(const Few&) { return "few tuples"; }

bool is_in_c_order(const Tensor& tensor) {
  int64_t stride = tensor.dtype.size;
  for (size_t i = tensor.shape.size(); i-- > 0;) {
    if (tensor.shape[i] == 0) return false;  // then a plan finds that there is nothing to do
    if (tensor.shape[i] != 1 && tensor.strides[i] != stride) return false;
    stride *= tensor.shape[i];
  }
  return true;
}

// Whether `rows` has the shape of the slices that the tuples address, and the arrays are simple.
bool are_simple(const Tensor& table, const Indices& indices, const Tensor& rows) {
  const Tensor& tuples = indices.tuples();
  if (!indices.components().empty() || tuples.shape.empty()) return false;
  const int64_t depth = tuples.shape.back();
  if (depth < 1 || depth > static_cast<int64_t>(table.shape.size())) return false;
  const auto outer = tuples.shape.first(tuples.shape.size() - 1);
  const auto slice = table.shape.subspan(static_cast<size_t>(depth));
  return rows.dtype == table.dtype && rows.shape.size() == outer.size() + slice.size() &&
         same_shape(rows.shape.first(outer.size()), outer) &&
         same_shape(rows.shape.subspan(outer.size()), slice) && is_in_c_order(rows) &&
         is_in_c_order(tuples);
}

// The slices of such arrays.
FewSlices slices_of(const Tensor& table, const Tensor& tuples) {
  return {table, tuples.shape.first(tuples.shape.size() - 1),
          static_cast<size_t>(tuples.shape.back())};
}

}  // namespace

// Not inlined: the offsets would stay on the stack of a call that makes a plan.
HWY_NOINLINE bool gather_few(const Tensor& input, const Indices& indices, const Tensor& output,
                             const GatherOptions& options) {
  const Mode mode = options.mode;
  if (options.backend != nullptr || is_gather_forced()) return false;
  if (options.batch_dims != 0 || leaves_holes(mode)) return false;
  if (!are_simple(input, indices, output)) return false;
  FewSlices slices = slices_of(input, indices.tuples());
  if (!slices.are_simple() || (!options.fresh_output && may_overlap(output, input))) return false;
  std::byte* const fresh = options.fresh_output ? output.data : nullptr;
  if (!slices.resolve(indices.tuples(), mode, options.wrap_negative_indices, fresh)) return false;
  Trace::record("gather", Few());
  slices.gather(output.data);
  return true;
}

HWY_NOINLINE bool scatter_few(const Tensor& input, const Indices& indices, const Tensor& updates,
                              const Tensor& output, const ScatterOptions& options) {
  const Mode mode = options.mode;
  if (options.backend != nullptr || is_scatter_forced()) return false;
  if (options.batch_dims != 0 || leaves_holes(mode)) return false;
  if (!same_memory(input, output) || options.duplicates != Duplicates::kLast) return false;
  const bool sets = options.reduction == Reduction::kNone;
  if (!sets && !FewSlices::can_reduce(output.dtype, options.reduction)) return false;
  if (input.dtype != output.dtype || !is_in_c_order(output)) return false;
  if (!are_simple(output, indices, updates)) return false;
  FewSlices slices = slices_of(output, indices.tuples());
  // Updates that overlap the output would be changed on the way.
  if (!slices.are_simple() || may_overlap(output, updates)) return false;
  if (!slices.resolve(indices.tuples(), mode, options.wrap_negative_indices)) return false;
  Trace::record("scatter", Few());
  if (sets) {
    slices.set(updates.data);
  } else {
    slices.reduce(updates.data, options.reduction);
  }
  return true;
}

}  // namespace gathernd
