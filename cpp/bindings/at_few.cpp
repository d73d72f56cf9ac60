#include "at_few.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "core/layout.hpp"
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

constexpr size_t kRepeated = 4096;  // bytes

// Writes an array of that shape, which has elements, of a single update: true if there is room.
bool repeat(const Tensor& update, const Dims& shape, std::byte (&to)[kRepeated]) {
  const std::span<const int64_t> sizes{shape.begin(), shape.end()};
  const size_t size = static_cast<size_t>(update.dtype.size);
  const size_t bytes = static_cast<size_t>(count_elements(sizes)) * size;
  if (count_elements(update.shape) != 1 || update.shape.size() > sizes.size()) return false;
  if (bytes > kRepeated) return false;
  std::memcpy(to, update.data, size);
  for (size_t done = size; done < bytes; done *= 2) {
    std::memcpy(to + done, to, std::min(done, bytes - done));
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
  check_unchanged(x, updates);
  alignas(16) std::byte repeated[kRepeated];
  const std::byte* rows = updates.tensor().data;
  if (!same_shape(updates.tensor().shape, {shape.begin(), shape.end()})) {
    if (!repeat(updates.tensor(), shape, repeated)) return false;
    rows = repeated;
  }
  if (!resolve(frame, options.mode, options.wrap_negative_indices, &slices)) return false;
  if (reduction == Reduction::kNone) {
    slices.set(rows);
  } else {
    slices.reduce(rows, reduction);
  }
  return true;
}

}  // namespace gathernd::bindings
