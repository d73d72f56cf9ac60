// A vector whose first elements need no memory of their own.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace gathernd::bindings {

// Up to N elements are part of the object. T has a default value.
template <class T, size_t N>
class InlineVector {
 public:
  size_t size() const { return size_; }
  T* begin() { return size_ <= N ? few_.data() : many_.data(); }
  T* end() { return begin() + size_; }
  const T* begin() const { return size_ <= N ? few_.data() : many_.data(); }
  const T* end() const { return begin() + size_; }
  T& operator[](size_t i) { return begin()[i]; }
  const T& operator[](size_t i) const { return begin()[i]; }
  T& back() { return begin()[size_ - 1]; }

  void push_back(T value) {
    if (size_ < N) {
      few_[size_] = std::move(value);
    } else {
      if (size_ == N)
        many_.assign(std::move_iterator(few_.begin()), std::move_iterator(few_.end()));
      many_.push_back(std::move(value));
    }
    ++size_;
  }

 private:
  size_t size_ = 0;
  std::array<T, N> few_;
  std::vector<T> many_;  // all elements, if they are more than N
};

}  // namespace gathernd::bindings
