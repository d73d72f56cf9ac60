// Memory of large results.
#pragma once

#include <cmath>

#include "numpy.hpp"

namespace gathernd::bindings {

// Bytes of a result from which on it pays to keep its memory: glibc gives smaller ones again
// itself.
#if defined(__linux__)
inline constexpr double kLargeResult = 1 << 25;
#else
inline constexpr double kLargeResult = HUGE_VAL;  // MADV_FREE is not everywhere
#endif

// When the module is loaded: no thread of an ending process may look for NumPy's functions.
void find_numpy_memory();

// While it lives, the arrays that this thread makes have memory that is kept for the next such ones
// when they are freed.
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
