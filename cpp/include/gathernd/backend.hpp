// Where the work is done. A backend trusts the Plan that it gets and checks only the index values.
#pragma once

#include <cstddef>

#include "gathernd/indices.hpp"
#include "gathernd/plan.hpp"
#include "gathernd/tensor.hpp"

namespace gathernd {

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
};

Backend& cpu_backend();

}  // namespace gathernd
