// Small random views and what a plain loop finds in them.
#pragma once

#include <algorithm>
#include <vector>

#include "core/layout.hpp"
#include "support.hpp"

namespace gathernd::test {

struct View {
  Dims shape, strides;
  int64_t size = 1;  // bytes an element

  Tensor tensor(std::byte* data = nullptr) const {
    return {data, {Kind::kOther, size, true}, span(shape), span(strides)};
  }
};

// Ranks 0 to 4; half of the shapes packed, where neighbours merge.
inline View random_view(Random& random, int64_t low_size, int64_t low_stride, int64_t high_stride) {
  View view;
  for (int64_t rank = random(0, 4); rank > 0; --rank) view.shape.push_back(random(low_size, 4));
  view.size = random(1, 3);
  view.strides = c_strides(span(view.shape), view.size);
  if (random.one_in(2)) return view;
  for (int64_t& stride : view.strides) stride = random(low_stride, high_stride);
  return view;
}

// The offset of every element in C order.
inline std::vector<int64_t> offsets_of(const View& view) {
  std::vector<int64_t> offsets;
  for (int64_t p = 0; p < count(span(view.shape)); ++p) {
    offsets.push_back(offset_of(unravel(p, span(view.shape)), span(view.strides)));
  }
  return offsets;
}

// Every byte of the view, relative to its first element; sorted, with repeats.
inline std::vector<int64_t> bytes_of(const View& view) {
  std::vector<int64_t> bytes;
  for (int64_t offset : offsets_of(view)) {
    for (int64_t i = 0; i < view.size; ++i) bytes.push_back(offset + i);
  }
  std::ranges::sort(bytes);
  return bytes;
}

}  // namespace gathernd::test
