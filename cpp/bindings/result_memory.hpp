// The memory of large results.
#pragma once

#include <cmath>

#include "numpy.hpp"

namespace gathernd::bindings {

// The memory of a result is kept from this many bytes on. For smaller ones glibc already reuses
// memory.
#if defined(__linux__)
inline constexpr double kLargeResult = 1 << 25;
#else
inline constexpr double kLargeResult = HUGE_VAL;  // other systems may not have MADV_FREE
#endif

// Call this when the module is loaded: a thread must not look up NumPy's functions while the
// process is ending.
void find_numpy_memory();

// While it lives, arrays that this thread makes use kept memory: when they are freed, their memory
// is kept for later arrays.
class KeptMemory {
 public:
  KeptMemory();
  ~KeptMemory();
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

 private:
  PyObject* others_;  // the memory handler that was set before
};

}  // namespace gathernd::bindings
