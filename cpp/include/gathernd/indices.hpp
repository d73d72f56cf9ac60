// Index tuples: as one tensor, or as one tensor per component.
#pragma once

#include <span>

#include "gathernd/tensor.hpp"

namespace gathernd {

// Refers to its tensors, which must outlive it.
class Indices {
 public:
  // The last dimension of `tuples` is one tuple.
  Indices(const Tensor& tuples) : tuples_(tuples) {}
  // Tuple t is (components[0][t], components[1][t], ...). All components have the same shape; a
  // stride of 0 broadcasts. Each may have its own type. There are 1 to kMaxRank of them.
  explicit Indices(std::span<const Tensor> components);
  Indices(const Indices&) = delete;
  Indices& operator=(const Indices&) = delete;

  // For components: their shape with the tuple length appended, the type of the first, no data.
  const Tensor& tuples() const { return tuples_; }
  std::span<const Tensor> components() const { return components_; }

 private:
  Dims shape_, strides_;
  Tensor tuples_;
  std::span<const Tensor> components_;
};

}  // namespace gathernd
