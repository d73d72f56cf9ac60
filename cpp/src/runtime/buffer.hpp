// Uninitialised memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

namespace gathernd {

// `bytes` of memory, from 2 MiB on in huge pages; std::bad_alloc where there is not that much, not
// even after all kept memory has been released.
void* take_block(size_t bytes);
void give_block(void* memory, size_t bytes) noexcept;

// Memory of a result of so many bytes, or more, which the next results get if it is kept. Null
// where there is not that much.
void* take_result(size_t bytes) noexcept;
void give_result(void* memory) noexcept;
size_t result_capacity(const void* memory) noexcept;

// The same for scratch, which is used again.
void* take_scratch(size_t bytes);
void give_scratch(void* memory, size_t bytes) noexcept;

// `count` elements of T.
template <class T>
class Buffer {
 public:
  explicit Buffer(size_t count) : bytes_(count * sizeof(T)) {
    // Short of SIZE_MAX: to round up to an alignment would wrap.
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
