// Strides: merging dimensions, extents. No index values, no types.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "gathernd/plan.hpp"
#include "gathernd/tensor.hpp"

namespace gathernd {

// The walk over `shape` in C order. Dimensions of size 1 are dropped, and neighbours are merged if
// one stride covers both. An empty shape gives an empty walk, because its strides mean nothing.
Walk make_walk(std::span<const int64_t> shape, std::span<const int64_t> strides);

// The same for two arrays at once, with elements of `size` bytes: dimensions are merged if the
// strides of both allow it.
Slice make_slice(std::span<const int64_t> shape, std::span<const int64_t> table_strides,
                 std::span<const int64_t> row_strides, int64_t size);

// The bytes [data + low, data + high) that a view can touch. Both are 0 if it has no elements.
struct Extent {
  int64_t low = 0;
  int64_t high = 0;
};

// Returns false if the strides reach past any address space, or if there is not one for each
// dimension.
bool find_extent(const Tensor& tensor, Extent* extent);

// Stores the number of elements in `count`; returns false if it is over 2**63 - 1.
bool count_elements(std::span<const int64_t> shape, int64_t* count);
// The same for a shape whose number of elements is known to fit.
int64_t count_elements(std::span<const int64_t> shape);

// "(2, 3)", as Python writes a shape.
std::string text(std::span<const int64_t> shape);

Dims c_strides(std::span<const int64_t> shape, int64_t size);

// The dimensions from the longest stride to the shortest. Dimensions with equal strides stay in
// order.
Dims order_by_stride(std::span<const int64_t> strides);

// The strides of a packed array whose dimensions are in the order of those strides.
Dims packed_in_order(std::span<const int64_t> shape, std::span<const int64_t> strides,
                     int64_t size);

// The index tuples or rows of a call, in the shape of its plan's positions. Refers to the memory
// and strides of `tensor`.
class AtPositions {
 public:
  AtPositions(const Plan& plan, const Tensor& tensor) : shape_(plan.positions), tensor_(tensor) {
    shape_.append(tensor.shape.subspan(static_cast<size_t>(plan.positions.size())));
    tensor_.shape = {shape_.begin(), shape_.end()};
  }
  AtPositions(const AtPositions&) = delete;
  AtPositions& operator=(const AtPositions&) = delete;

  const Tensor& tensor() const { return tensor_; }

 private:
  Dims shape_;
  Tensor tensor_;
};

// The offset of one position.
inline int64_t offset_at(const Walk& walk, int64_t position) {
  int64_t offset = 0;
  for (int i = walk.size.size() - 1; i >= 0; --i) {
    offset += (i == 0 ? position : position % walk.size[i]) * walk.stride[i];
    position /= walk.size[i];
  }
  return offset;
}

// Calls f(offset, stride, count) for the runs of equal stride that cover positions
// [first, first + n).
template <class F>
void for_each_run(const Walk& walk, int64_t first, int64_t n, F f) {
  if (n <= 0) return;
  const int rank = walk.size.size();
  if (rank == 0) return f(int64_t{0}, int64_t{0}, n);
  int64_t at[kMaxRank];
  int64_t offset = 0;
  int64_t rest = first;
  for (int i = rank - 1; i >= 0; --i) {
    at[i] = i == 0 ? rest : rest % walk.size[i];
    rest /= walk.size[i];
    offset += at[i] * walk.stride[i];
  }
  const int inner = rank - 1;
  while (n > 0) {
    const int64_t count = std::min(n, walk.size[inner] - at[inner]);
    f(offset, walk.stride[inner], count);
    n -= count;
    at[inner] += count;
    offset += count * walk.stride[inner];
    for (int i = inner; i > 0 && at[i] == walk.size[i]; --i) {
      offset += walk.stride[i - 1] - at[i] * walk.stride[i];
      at[i] = 0;
      ++at[i - 1];
    }
  }
}

}  // namespace gathernd
