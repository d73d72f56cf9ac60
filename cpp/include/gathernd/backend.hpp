// Where the work is done. A backend gets a Plan and trusts it; it checks index values only.
#pragma once

#include <cstddef>

#include "gathernd/indices.hpp"
#include "gathernd/plan.hpp"
#include "gathernd/tensor.hpp"

namespace gathernd {

class Backend {
 public:
  virtual ~Backend() = default;

  // output[position] = input[tuple]. `fresh`: nobody sees the output if this throws.
  virtual void gather(const Plan& plan, const Tensor& input, const Indices& indices,
                      const Tensor& output, const std::byte* fill_value, bool fresh) = 0;

  // output = input, then each tuple's update in C order. The two share all memory or none.
  virtual void scatter(const Plan& plan, const Tensor& input, const Indices& indices,
                       const Tensor& updates, const Tensor& output, bool fresh) = 0;
};

Backend& cpu_backend();

}  // namespace gathernd
