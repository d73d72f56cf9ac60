// Uninitialised scratch memory.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace gathernd {

// `count` elements of T; std::bad_alloc where there is not that much. Large ones ask for huge
// pages: the first touch of small ones costs more than the work done in them.
template <class T>
class Buffer {
 public:
  explicit Buffer(size_t count) {
    if (count > SIZE_MAX / sizeof(T)) throw std::bad_alloc();
    const size_t bytes = count * sizeof(T);
    const bool large = bytes >= kHugePage;
    alignment_ = std::align_val_t{large ? kHugePage : alignof(std::max_align_t)};
    data_ = static_cast<T*>(::operator new(bytes, alignment_));
#if defined(__linux__)
    if (large) madvise(data_, bytes, MADV_HUGEPAGE);
#endif
  }
  ~Buffer() { ::operator delete(data_, alignment_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* data() const { return data_; }

 private:
  static constexpr size_t kHugePage = size_t{1} << 21;
  std::align_val_t alignment_;
  T* data_;
};

}  // namespace gathernd
