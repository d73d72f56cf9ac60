#include "at_few.hpp"

#include "core/overlap.hpp"
#include "cpu/few/few_slices.hpp"

namespace gathernd::bindings {
namespace {

bool resolve(const Frame& frame, Mode mode, bool wraps, FewSlices* slices) {
  for (int k = 0; k < frame.depth(); ++k) {
    const py::object& index = frame.component(k).array;
    if (!index) return false;
    const ArrayView array(py::reinterpret_borrow<py::array>(index), "at", "indices");
    const Broadcast repeated(array.tensor(), frame.outer(), "an index array");
    if (!slices->resolve_component(static_cast<size_t>(k), repeated.tensor(), mode, wraps)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<py::array> gather_few(const Frame& frame, const View& table, const ArrayView& x,
                                    const GatherOptions& options) {
  if (leaves_holes(options.mode)) return std::nullopt;
  FewSlices slices(table.tensor(), frame.outer(), static_cast<size_t>(frame.depth()),
                   static_cast<size_t>(frame.selection().position()));
  if (!slices.are_simple()) return std::nullopt;
  const Dims shape = frame.result_shape(table.tensor());
  py::array result = make_array(x.dtype(), {shape.begin(), shape.end()});
  x.check_unchanged();
  if (!resolve(frame, options.mode, options.wrap_negative_indices, &slices)) return std::nullopt;
  slices.gather(static_cast<std::byte*>(result.mutable_data()));
  return result;
}

bool update_few(const Frame& frame, const View& table, const ArrayView& x, const ArrayView& updates,
                const ScatterOptions& options) {
  const Reduction reduction = options.reduction;
  if (!FewSlices::can_update(x.tensor().dtype, reduction, options.duplicates)) return false;
  if (leaves_holes(options.mode)) return false;
  if (!x.is_contiguous() || !updates.is_contiguous()) return false;
  FewSlices slices(table.tensor(), frame.outer(), static_cast<size_t>(frame.depth()),
                   static_cast<size_t>(frame.selection().position()));
  if (!slices.are_simple()) return false;
  // Updates that overlap x would be changed on the way.
  if (may_overlap(x.tensor(), updates.tensor())) return false;
  const Dims shape = frame.result_shape(table.tensor());
  if (!same_shape(updates.tensor().shape, {shape.begin(), shape.end()})) return false;
  check_unchanged(x, updates);
  if (!resolve(frame, options.mode, options.wrap_negative_indices, &slices)) return false;
  if (reduction == Reduction::kNone) {
    slices.set(updates.tensor().data);
  } else {
    slices.reduce(updates.tensor().data, reduction);
  }
  return true;
}

}  // namespace gathernd::bindings
