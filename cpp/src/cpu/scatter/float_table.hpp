// A float32 copy of a table of halves, for sums that are rounded once.
#pragma once

#include <cstdint>

#include "gathernd/plan.hpp"
#include "gathernd/tensor.hpp"
#include "runtime/buffer.hpp"

namespace gathernd {

class FloatTable {
 public:
  // `output` has no gaps, nor have its slices. Its first content is `input`.
  FloatTable(const Plan& plan, const Tensor& input, const Tensor& output);
  FloatTable(const FloatTable&) = delete;
  FloatTable& operator=(const FloatTable&) = delete;

  const Plan& plan() const { return plan_; }  // the same call on the copy
  const Tensor& tensor() const { return view_; }

  // Rounds the elements that an update has changed: elsewhere another thread of the caller may be
  // writing.
  void round_to(std::byte* table) const;

 private:
  Plan plan_;
  int64_t count_;
  Buffer<uint16_t> halves_;  // the first content
  Buffer<uint32_t> floats_;  // bits
  Tensor view_;
};

}  // namespace gathernd
