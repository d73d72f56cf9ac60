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
  if (tensor.strides.size() != tensor.shape.size()) return false;  // a plan refuses that
  auto stride = static_cast<uint64_t>(tensor.dtype.size);  // may wrap: FewSlices refuses that
  for (size_t i = tensor.shape.size(); i-- > 0;) {
    if (tensor.shape[i] == 0) return false;  // then a plan finds that there is nothing to do
    if (tensor.shape[i] != 1 && static_cast<uint64_t>(tensor.strides[i]) != stride) return false;
    stride *= static_cast<uint64_t>(tensor.shape[i]);
  }
  return true;
}

// Whether `rows` is an array in C order of the slices of tuples of the shape `outer`.
bool are_rows(const Tensor& table, std::span<const int64_t> outer, size_t depth,
              const Tensor& rows) {
  const auto slice = table.shape.subspan(depth);
  return rows.dtype == table.dtype && rows.shape.size() == outer.size() + slice.size() &&
         same_shape(rows.shape.first(outer.size()), outer) &&
         same_shape(rows.shape.subspan(outer.size()), slice) && is_in_c_order(rows);
}

// Modes after kWrap leave holes, or are none.
template <class Options>
bool are_simple(const Options& options) {
  return options.backend == nullptr && options.batch_dims == 0 && options.mode <= Mode::kWrap;
}

// Whether the tuples are one array in C order, and `rows` one of their slices.
bool are_simple(const Tensor& table, const Indices& indices, const Tensor& rows) {
  const Tensor& tuples = indices.tuples();
  if (!indices.components().empty() || tuples.shape.empty()) return false;
  if (table.shape.size() > size_t{kMaxRank}) return false;  // an error, which a plan reports
  const int64_t depth = tuples.shape.back();
  if (depth < 1 || depth > static_cast<int64_t>(table.shape.size())) return false;
  const auto outer = tuples.shape.first(tuples.shape.size() - 1);
  return are_rows(table, outer, static_cast<size_t>(depth), rows) && is_in_c_order(tuples);
}

// Whether a gather can write whole elements while it reads.
bool may_write(const Tensor& input, const Tensor& output, bool fresh) {
  return fresh || (output.dtype.fields == nullptr && !may_overlap(output, input));
}

// Whether a scatter can write slice by slice, in the order of the tuples.
bool can_write(const Tensor& input, const Tensor& output, Reduction reduction,
               Duplicates duplicates) {
  if (!same_shape(input.shape, output.shape) || input.dtype != output.dtype) return false;
  if (!is_in_c_order(output)) return false;
  if (!same_memory(input, output) && may_overlap(input, output)) return false;
  return FewSlices::can_update(output.dtype, reduction, duplicates);
}

// Nothing can fail any more.
void write(const FewSlices& slices, const Tensor& input, const Tensor& updates,
           const Tensor& output, Reduction reduction) {
  Trace::record("scatter", Few());
  if (!same_memory(input, output)) copy_tensor(input, output);
  if (reduction == Reduction::kNone) {
    slices.set(updates.data);
  } else {
    slices.reduce(updates.data, reduction);
  }
}

}  // namespace

// Not inlined: the offsets would stay on the stack of a call that makes a plan.
HWY_NOINLINE bool gather_few(const Tensor& input, const Indices& indices, const Tensor& output,
                             const GatherOptions& options) {
  if (!are_simple(options) || is_gather_forced()) return false;
  if (!are_simple(input, indices, output)) return false;
  const Tensor& tuples = indices.tuples();
  FewSlices slices(input, tuples.shape.first(tuples.shape.size() - 1),
                   static_cast<size_t>(tuples.shape.back()));
  if (!slices.are_simple() || !may_write(input, output, options.fresh_output)) return false;
  std::byte* const fresh = options.fresh_output ? output.data : nullptr;
  if (!slices.resolve(tuples, options.mode, options.wrap_negative_indices, fresh)) return false;
  Trace::record("gather", Few());
  slices.gather(output.data);
  return true;
}

HWY_NOINLINE bool scatter_few(const Tensor& input, const Indices& indices, const Tensor& updates,
                              const Tensor& output, const ScatterOptions& options) {
  if (!are_simple(options) || is_scatter_forced()) return false;
  if (!can_write(input, output, options.reduction, options.duplicates)) return false;
  if (!are_simple(output, indices, updates)) return false;
  const Tensor& tuples = indices.tuples();
  FewSlices slices(output, tuples.shape.first(tuples.shape.size() - 1),
                   static_cast<size_t>(tuples.shape.back()));
  // Updates that overlap the output would be changed on the way.
  if (!slices.are_simple() || may_overlap(output, updates)) return false;
  if (!slices.resolve(tuples, options.mode, options.wrap_negative_indices)) return false;
  write(slices, input, updates, output, options.reduction);
  return true;
}

HWY_NOINLINE bool gather_few(const Tensor& input, const KnownFew& tuples, const Tensor& output,
                             bool fresh) {
  if (is_gather_forced() || !is_in_c_order(input)) return false;
  if (!are_rows(input, tuples.outer, tuples.depth, output)) return false;
  const FewSlices slices(input, tuples.outer, tuples.depth, tuples.offsets,
                         tuples.scale * input.dtype.size);
  if (!slices.are_simple() || !may_write(input, output, fresh)) return false;
  Trace::record("gather", Few());
  slices.gather(output.data);
  return true;
}

HWY_NOINLINE bool scatter_few(const Tensor& input, const KnownFew& tuples, const Tensor& updates,
                              const Tensor& output, Reduction reduction, Duplicates duplicates) {
  if (is_scatter_forced() || !can_write(input, output, reduction, duplicates)) return false;
  if (!are_rows(output, tuples.outer, tuples.depth, updates)) return false;
  const FewSlices slices(output, tuples.outer, tuples.depth, tuples.offsets,
                         tuples.scale * output.dtype.size);
  if (!slices.are_simple() || may_overlap(output, updates)) return false;
  write(slices, input, updates, output, reduction);
  return true;
}

}  // namespace gathernd
