// Indices that are analysed once and used often.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "gathernd/device.hpp"
#include "gathernd/plan.hpp"
#include "gathernd/tensor.hpp"

namespace gathernd {

// Holds the checked and resolved tuples of one `indices`, for inputs of one shape; the indices
// themselves are not needed any more. Const methods may be called from several threads at once.
// A plan of a device keeps them there, and does its work there, on memory of the host or its own.
class IndexPlan {
 public:
  // Modes kFill and kDrop are the same here: such tuples take the fill value, or are left out.
  IndexPlan(std::span<const int64_t> shape, const Tensor& indices, int64_t batch_dims = 0,
            Mode mode = Mode::kRaise, DeviceBackend* device = nullptr,
            bool wrap_negative_indices = true);
  // The indices lie on the device: a packed tensor without data says of which shape and type.
  IndexPlan(std::span<const int64_t> shape, const Tensor& indices, DeviceMemory& memory,
            int64_t batch_dims, Mode mode, DeviceBackend& device,
            bool wrap_negative_indices = true);
  ~IndexPlan();
  IndexPlan(IndexPlan&&) noexcept;

  std::span<const int64_t> shape() const;       // input's
  std::span<const int64_t> rows_shape() const;  // gather's result's, scatter's updates'
  bool is_unique() const;                       // no slice is addressed twice
  bool is_sorted() const;                       // the tuples address slices in C order
  size_t bytes() const;                         // memory that the plan holds

  // Indices and options that make the same plan again. A tuple that addresses a slice comes back as
  // that of indices from 0 on, one that addresses none as that of the sizes, which are out of
  // range.
  std::span<const int64_t> indices_shape() const;
  void restore_indices(std::span<int64_t> to) const;  // in C order
  const PlanOptions& options() const;                 // without those of a scatter

  // As result_strides in gathernd.hpp; C order on a device.
  Dims result_strides(const Tensor& input, const Tensor& updates) const;

  // As gather_nd and scatter_nd, with the same guarantees.
  void gather(const Tensor& input, const Tensor& output, const std::byte* fill_value = nullptr,
              bool fresh_output = false) const;
  void scatter(const Tensor& input, const Tensor& updates, const Tensor& output,
               Reduction reduction = Reduction::kNone, Duplicates duplicates = Duplicates::kLast,
               bool fresh_output = false) const;

  // Of a plan on a device: throw what the next two throw for tensors of such shapes and types.
  void check_gather(const Tensor& input) const;
  void check_scatter(const Tensor& input, const Tensor& updates, Reduction reduction,
                     Duplicates duplicates) const;

  // The same of memory on the plan's device, for packed tensors without data; as DeviceBackend's.
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
