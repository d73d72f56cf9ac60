// Indices that are analysed once and used many times.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "gathernd/device.hpp"
#include "gathernd/indices.hpp"
#include "gathernd/plan.hpp"
#include "gathernd/tensor.hpp"

namespace gathernd {

// Holds the checked and resolved tuples of one `indices`, for inputs of one shape. The indices
// themselves are no longer needed. Several threads may call const methods at once. A plan on a
// device keeps the tuples there and works there, on host memory or on the device's own.
class IndexPlan {
 public:
  // Modes kFill and kDrop are the same here: a tuple out of range gets the fill value in a gather
  // and is left out of a scatter.
  // No backend: the CPU's.
  IndexPlan(std::span<const int64_t> shape, const Indices& indices, int64_t batch_dims = 0,
            Mode mode = Mode::kRaise, Backend* backend = nullptr,
            bool wrap_negative_indices = true);
  // The indices are in `memory`, on the device. The packed tensor `indices` has no data; it gives
  // their shape and type.
  IndexPlan(std::span<const int64_t> shape, const Tensor& indices, DeviceMemory& memory,
            int64_t batch_dims, Mode mode, DeviceBackend& device,
            bool wrap_negative_indices = true);
  ~IndexPlan();
  IndexPlan(IndexPlan&&) noexcept;

  std::span<const int64_t> shape() const;       // input's
  std::span<const int64_t> rows_shape() const;  // of a gather's result and a scatter's updates
  bool is_unique() const;                       // no slice is addressed twice
  bool is_sorted() const;                       // the tuples address slices in C order
  size_t bytes() const;                         // memory that the plan holds
  bool is_on_device() const;                    // else it is on the CPU

  // Indices and options that make the same plan again. A tuple that addresses a slice comes back
  // with indices from 0 up. A tuple that addresses none comes back as the sizes of the indexed
  // dimensions, which are out of range.
  std::span<const int64_t> indices_shape() const;
  void restore_indices(std::span<int64_t> to) const;  // in C order, as many as the shape says
  const PlanOptions& options() const;                 // reduction and duplicates are the defaults

  // As result_strides in gathernd.hpp; C order on a device.
  Dims result_strides(const Tensor& input, const Tensor& updates) const;

  // As gather_nd and scatter_nd, with the same guarantees.
  void gather(const Tensor& input, const Tensor& output, const std::byte* fill_value = nullptr,
              bool fresh_output = false) const;
  void scatter(const Tensor& input, const Tensor& updates, const Tensor& output,
               Reduction reduction = Reduction::kNone, Duplicates duplicates = Duplicates::kLast,
               bool fresh_output = false) const;

  // For a plan on a device: throw what the next two functions throw for these shapes and types.
  void check_gather(const Tensor& input) const;
  void check_scatter(const Tensor& input, const Tensor& updates, Reduction reduction,
                     Duplicates duplicates) const;

  // gather and scatter on memory of the plan's device, as in DeviceBackend. The tensors are packed
  // and have no data.
  DeviceMemoryPtr gather(const Tensor& input, DeviceMemory& input_memory,
                         const std::byte* fill_value = nullptr) const;
  DeviceMemoryPtr scatter(const Tensor& input, const DeviceMemoryPtr& input_memory,
                          const Tensor& updates, DeviceMemory& updates_memory, Reduction reduction,
                          Duplicates duplicates, bool in_place) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gathernd
