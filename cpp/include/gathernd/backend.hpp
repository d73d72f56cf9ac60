// Where the work is done. A backend trusts the Plan that it gets and checks only the index values.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "gathernd/indices.hpp"
#include "gathernd/plan.hpp"
#include "gathernd/tensor.hpp"

namespace gathernd {

// Tuples that a backend has checked and resolved once. They serve calls whose plans differ from the
// plan that they were prepared by only in operator, reduction, duplicates, element type and strides
// of the table and the rows. Several threads may call at once.
class PreparedTuples {
 public:
  virtual ~PreparedTuples() = default;

  // As in Backend.
  virtual void gather(const Plan& plan, const Tensor& input, const Tensor& output,
                      const std::byte* fill_value, bool fresh) = 0;
  virtual void scatter(const Plan& plan, const Tensor& input, const Tensor& updates,
                       const Tensor& output, bool fresh) = 0;

  // The offsets of all tuples in units of the plan's scale, if they have 32 bits and are on the
  // CPU; else null.
  virtual const uint32_t* narrow_offsets() const { return nullptr; }
  virtual bool is_unique() const = 0;  // no slice is addressed twice
  virtual bool is_sorted() const = 0;  // the tuples address slices in C order
  virtual size_t bytes() const = 0;    // memory that is held

  // Writes the tuples of all given positions in C order, with indices from 0 up. A tuple that
  // addresses no slice becomes the sizes of the indexed dimensions.
  virtual void restore(std::span<int64_t> to) const = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  // output[position] = input[tuple]. `fresh`: nobody sees the output if this throws, so it may be
  // written before all tuples are checked.
  virtual void gather(const Plan& plan, const Tensor& input, const Indices& indices,
                      const Tensor& output, const std::byte* fill_value, bool fresh) = 0;

  // output = input, then each tuple's update in C order. Input and output are the same memory, or
  // share none.
  virtual void scatter(const Plan& plan, const Tensor& input, const Indices& indices,
                       const Tensor& updates, const Tensor& output, bool fresh) = 0;

  // `plan`: of Operator::kIndexPlan, for a packed table.
  virtual std::unique_ptr<PreparedTuples> prepare(const Plan& plan, const Indices& indices) = 0;
};

Backend& cpu_backend();

}  // namespace gathernd
