// Cache lines fetched ahead of writes to them.
#pragma once

#include <cstddef>

#include "hwy/base.h"
#include "hwy/cache_control.h"

namespace gathernd {

// Afterwards no other core keeps the line. x86-64 compilers give the instruction for named
// processors only, though all execute it, the oldest as nothing.
inline void prefetch_for_writing(const std::byte* line) {
#if HWY_COMPILER_MSVC && HWY_ARCH_X86
  _m_prefetchw(line);
#elif HWY_COMPILER_MSVC
  hwy::Prefetch(line);
#elif HWY_ARCH_X86
  asm volatile("prefetchw %0" : : "m"(*line));
#else
  __builtin_prefetch(line, 1, 3);
#endif
}

inline constexpr size_t kLine = 64;         // bytes of a cache line
inline constexpr size_t kMostAhead = 1024;  // bytes; further on, processors follow by themselves

// The first lines of an array of `n` elements. No lambdas: GCC takes one that only fetches ahead
// for one without an effect.
template <class T>
void prefetch_for_writing(const T* array, size_t n) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(array);
  for (size_t i = 0; i < n * sizeof(T) && i < kMostAhead; i += kLine) {
    prefetch_for_writing(bytes + i);
  }
}

template <class T>
void prefetch_for_reading(const T* array, size_t n) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(array);
  for (size_t i = 0; i < n * sizeof(T) && i < kMostAhead; i += kLine) hwy::Prefetch(bytes + i);
}

}  // namespace gathernd
