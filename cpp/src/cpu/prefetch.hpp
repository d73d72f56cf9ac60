// Cache lines that are fetched before they are needed.
#pragma once

#include "hwy/base.h"
#include "hwy/cache_control.h"

namespace gathernd {

// For what is about to be written: no other core keeps the line. x86-64 compilers give the
// instruction for named processors only, though all execute it, the oldest as nothing.
HWY_INLINE void prefetch_for_write(const void* line) {
#if HWY_COMPILER_MSVC && HWY_ARCH_X86
  _m_prefetchw(line);
#elif HWY_COMPILER_MSVC
  hwy::Prefetch(static_cast<const char*>(line));
#elif HWY_ARCH_X86
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(line)));
#else
  __builtin_prefetch(line, 1, 3);
#endif
}

}  // namespace gathernd
