#include "arrays.hpp"

#include <algorithm>

#include "core/layout.hpp"

namespace gathernd::test {

std::vector<std::byte> Array::pack() const {
  const auto size = static_cast<size_t>(dtype.size);
  std::vector<std::byte> bytes(static_cast<size_t>(elements()) * size);
  const int64_t row = shape.empty() ? 1 : shape.back(), step = shape.empty() ? 0 : strides.back();
  std::byte* to = bytes.data();
  for (int64_t p = 0; p < elements(); p += row) {
    const std::byte* from = at(p);
    for (int64_t i = 0; i < row; ++i, to += size) std::memcpy(to, from + i * step, size);
  }
  return bytes;
}

Array layout(Random& random, const Dims& shape, const DType& dtype, bool may_repeat) {
  Array array{dtype, shape, c_strides(span(shape), dtype.size), nullptr, nullptr};
  if (random.one_in(3)) return array;
  std::vector<int> order;
  for (int i = 0; i < shape.size(); ++i) {
    order.insert(order.begin() + random(0, static_cast<int64_t>(order.size())), i);
  }
  int64_t step = dtype.size;
  for (int i : order) {
    step += random.one_in(3) ? random(0, 5) : 0;
    array.strides[i] = random.one_in(3) ? -step : step;
    if (may_repeat && random.one_in(5)) {
      array.strides[i] = 0;
    } else {
      step *= std::max<int64_t>(shape[i], 1);
    }
  }
  return array;
}

void place(Random& random, std::initializer_list<Array*> arrays) {
  size_t size = 0;
  std::vector<size_t> begins;
  std::vector<int64_t> lows;
  for (const Array* array : arrays) {
    Extent extent;
    REQUIRE(find_extent(array->tensor(), &extent));
    begins.push_back(static_cast<size_t>(random(0, 20)));
    lows.push_back(extent.low);
    size = std::max(size, begins.back() + static_cast<size_t>(extent.high - extent.low));
  }
  const auto memory = std::make_shared<GuardedBuffer>(size, static_cast<size_t>(random(0, 3)));
  random.fill(*memory);
  size_t i = 0;
  for (Array* array : arrays) {
    array->memory = memory;
    array->origin = memory->data() + begins[i] - lows[i];
    ++i;
  }
}

}  // namespace gathernd::test
