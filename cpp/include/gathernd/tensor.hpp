// Strided views of memory, and the small vectors that their shapes live in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "gathernd/dtype.hpp"

namespace gathernd {

static_assert(sizeof(size_t) == 8, "tuples are counted in 64 bits, and memory is taken for them");

inline constexpr int kMaxRank = 64;  // NumPy 2's limit

// Throws Error(kValue): shapes and strides have at most kMaxRank numbers.
[[noreturn]] void refuse_rank(size_t rank);

// Up to kMaxRank numbers, without an allocation. Callers of push_back keep the limit.
class Dims {
 public:
  Dims() = default;
  explicit Dims(std::span<const int64_t> values) { append(values); }
  // Copies only the numbers in use: a plan holds many Dims.
  Dims(const Dims& other) { append(other); }
  Dims& operator=(const Dims& other) {
    if (this != &other) assign(other);
    return *this;
  }

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t& operator[](int i) { return values_[i]; }
  int64_t operator[](int i) const { return values_[i]; }
  int64_t* begin() { return values_; }
  int64_t* end() { return values_ + size_; }
  const int64_t* begin() const { return values_; }
  const int64_t* end() const { return values_ + size_; }
  int64_t& back() { return values_[size_ - 1]; }
  int64_t back() const { return values_[size_ - 1]; }

  void push_back(int64_t value) { values_[size_++] = value; }
  // Throws Error(kValue) for more numbers than there is room for.
  void append(std::span<const int64_t> values) {
    const size_t rank = static_cast<size_t>(size_) + values.size();
    if (rank > size_t{kMaxRank}) refuse_rank(rank);
    for (int64_t value : values) push_back(value);
  }
  // `values` are not of these Dims.
  void assign(std::span<const int64_t> values) {
    size_ = 0;
    append(values);
  }

 private:
  int size_ = 0;
  int64_t values_[kMaxRank];
};

// A view: it owns neither the memory nor the shape. There is a stride per dimension, in bytes and
// of either sign.
struct Tensor {
  std::byte* data = nullptr;
  DType dtype;
  std::span<const int64_t> shape;
  std::span<const int64_t> strides;
};

// A loop: for so few numbers std::equal's call of memcmp takes longer.
inline bool same_shape(std::span<const int64_t> a, std::span<const int64_t> b) {
  bool same = a.size() == b.size();
  for (size_t i = 0; same && i < a.size(); ++i) same = a[i] == b[i];
  return same;
}

}  // namespace gathernd
