// A boolean mask to the positions of its true elements.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gathernd/tensor.hpp"
#include "runtime/buffer.hpp"

namespace gathernd {

// Which elements of a mask are true: those with a byte other than 0. Each is read once, on all
// threads, so that what is counted is what is listed, even if another thread writes the mask.
class TruePositions {
 public:
  // Elements of one byte; their number fits 63 bits.
  explicit TruePositions(const Tensor& mask);

  int64_t count() const { return starts_.back(); }

  // Writes their positions in C order, count() of them. I must hold every position.
  template <class I>
  void list(I* positions) const;

 private:
  int64_t elements_;
  Buffer<uint64_t> bits_;
  std::vector<int64_t> starts_;  // how many are true before each block of bits, and in all
};

// One array for each dimension of `shape`: the coordinates of positions in C order.
template <class I>
void list_coordinates(std::span<const int64_t> shape, std::span<const I> positions,
                      std::span<I* const> coordinates);

}  // namespace gathernd
