#include "cases.hpp"

#include <cstring>
#include <functional>
#include <numeric>
#include <random>

#include "core/layout.hpp"
#include "floats.hpp"

namespace gathernd::testing {
namespace {

Shape join(std::initializer_list<Shape> parts) {
  Shape result;
  for (const Shape& part : parts) result.insert(result.end(), part.begin(), part.end());
  return result;
}

int64_t product(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

void fill_indices(const Case& c, Array* indices) {
  std::mt19937_64 random(c.seed + 1);
  const auto depth = static_cast<int64_t>(c.indexed.size());
  const auto size = static_cast<size_t>(c.index_type.size);
  for (int64_t i = 0; i < indices->elements(); ++i) {
    const int64_t dim = c.indexed[static_cast<size_t>(i % depth)];
    int64_t value = dim == 0 ? 0 : static_cast<int64_t>(random() % static_cast<uint64_t>(dim));
    if (is_signed_index(c.index_type.kind) && random() % 2 == 0) value -= dim;
    if (static_cast<double>(random() % 100000) < c.bad * 100000) {
      const int64_t wild[] = {dim,
                              dim + 1,
                              -dim - 1,
                              INT64_MIN,
                              INT64_MAX,
                              int64_t{1} << 31,
                              int64_t{1} << 32,
                              (int64_t{1} << 32) + 1,
                              int64_t{1} << 62,
                              -1,
                              static_cast<int64_t>(random())};
      value = wild[random() % std::size(wild)];
    }
    std::memcpy(indices->bytes.data() + static_cast<size_t>(i) * size, &value, size);
  }
}

}  // namespace

std::string describe(const Case& c) {
  const auto text = [](const Shape& shape) {
    std::string s = "(";
    for (const int64_t n : shape) s += std::to_string(n) + " ";
    return s + ")";
  };
  return "batch " + text(c.batch) + " outer " + text(c.outer) + " indexed " + text(c.indexed) +
         " slice " + text(c.slice) + " dtype " + name(c.dtype.kind) + " of " +
         std::to_string(c.dtype.size) + " indices " + name(c.index_type.kind) + " mode " +
         name(c.mode) + " reduction " + name(c.reduction) + " duplicates " +
         std::to_string(static_cast<int>(c.duplicates)) + " values " +
         std::to_string(static_cast<int>(c.values)) + " seed " + std::to_string(c.seed);
}

DType index_dtype(Kind kind) {
  const int step =
      is_signed_index(kind) ? static_cast<int>(Kind::kInt8) : static_cast<int>(Kind::kUInt8);
  return {kind, int64_t{1} << (static_cast<int>(kind) - step)};
}

const std::byte* fill_value(const Case& c) {
  static Bytes value;
  value.resize(static_cast<size_t>(c.dtype.size));
  for (size_t i = 0; i < value.size(); ++i) value[i] = static_cast<std::byte>(0xa1 + i);
  return value.data();
}

Array::Array(DType dtype_, Shape shape_) : dtype(dtype_), shape(std::move(shape_)) {
  const Dims packed = c_strides(shape, dtype.size);
  strides.assign(packed.begin(), packed.end());
  bytes.resize(static_cast<size_t>(product(shape) * dtype.size));
}

Tensor Array::tensor() { return {bytes.data(), dtype, shape, strides}; }
int64_t Array::elements() const { return product(shape); }

Arrays::Arrays(const Case& c)
    : input(c.dtype, join({c.batch, c.indexed, c.slice})),
      indices(c.index_type, join({c.batch, c.outer, {static_cast<int64_t>(c.indexed.size())}})),
      rows(c.dtype, join({c.batch, c.outer, c.slice})) {
  std::mt19937_64 random(c.seed);
  for (Array* array : {&input, &rows}) {
    for (std::byte& b : array->bytes) b = static_cast<std::byte>(random());
    shape_values(c, array);
  }
  fill_indices(c, &indices);
}

}  // namespace gathernd::testing
