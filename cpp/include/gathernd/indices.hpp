// Index tuples: as one tensor, or as a tensor for each of their components.
#pragma once

#include <span>

#include "gathernd/tensor.hpp"

namespace gathernd {

// Refers to its tensors, which must outlive it.
class Indices {
 public:
  // The last dimension of `tuples` is one tuple.
  Indices(const Tensor& tuples) : tuples_(tuples) {}
  // Tuple t is (components[0][t], components[1][t], ...). The components have one shape; a stride
  // of 0 broadcasts. Each may have its own type. There is at least one, and at most kMaxRank.
  explicit Indices(std::span<const Tensor> components);
  Indices(const Indices&) = delete;
  Indices& operator=(const Indices&) = delete;

  // Of components: their shape with the tuple length appended, the first one's type, no data.
  const Tensor& tuples() const { return tuples_; }
  std::span<const Tensor> components() const { return components_; }

 private:
  Dims shape_, strides_;
  Tensor tuples_;
  std::span<const Tensor> components_;
};

}  // namespace gathernd
