// Arrays in guarded memory, with random strides: gaps, any order, backwards, repeated.
#pragma once

#include <memory>
#include <vector>

#include "gathernd/tensor.hpp"
#include "support.hpp"

namespace gathernd::test {

struct Array {
  DType dtype;
  Dims shape, strides;
  std::shared_ptr<GuardedBuffer> memory;
  std::byte* origin = nullptr;

  Tensor tensor() const { return {origin, dtype, span(shape), span(strides)}; }
  int64_t elements() const { return count(span(shape)); }
  std::byte* at(const Dims& coordinates) const {
    return origin + offset_of(coordinates, span(strides));
  }
  // The element at a position in C order.
  std::byte* at(int64_t position) const { return at(unravel(position, span(shape))); }
  // All elements, packed in C order.
  std::vector<std::byte> pack() const;
};

// The strides of an array without memory; its elements share bytes only if it may repeat.
Array layout(Random& random, const Dims& shape, const DType& dtype, bool may_repeat);

// Lays arrays into one new memory of random bytes, where they may overlap.
void place(Random& random, std::initializer_list<Array*> arrays);

}  // namespace gathernd::test
