// Uninitialised memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

namespace gathernd {

// Memory for a result of at least `bytes` bytes. Memory that is given back may be kept for later
// results. Null if there is not enough memory.
void* take_result(size_t bytes) noexcept;
void give_result(void* memory) noexcept;
size_t result_capacity(const void* memory) noexcept;

// The same for scratch memory. Throws std::bad_alloc.
void* take_scratch(size_t bytes);
void give_scratch(void* memory, size_t bytes) noexcept;

// `count` elements of T.
template <class T>
class Buffer {
 public:
  explicit Buffer(size_t count) : bytes_(count * sizeof(T)) {
    // Not SIZE_MAX: rounding up to an alignment must not wrap.
    if (count > PTRDIFF_MAX / sizeof(T)) throw std::bad_alloc();
    data_ = static_cast<T*>(take_scratch(bytes_));
  }
  ~Buffer() { give_scratch(data_, bytes_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* data() const { return data_; }

 private:
  size_t bytes_;
  T* data_;
};

}  // namespace gathernd
