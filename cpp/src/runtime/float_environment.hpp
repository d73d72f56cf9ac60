// Floating point as C++ starts it.
#pragma once

#include <cfenv>

#if defined(_M_X64)
#include <immintrin.h>
#endif

namespace gathernd {

// The process may have set flush-to-zero or another rounding for itself: results do not depend
// on it, nor on which thread computes them.
class DefaultFloatEnvironment {
 public:
#if defined(_M_X64)  // Windows, whose fesetenv leaves flush-to-zero as it is
  DefaultFloatEnvironment() { _mm_setcsr(0x1f80); }
  ~DefaultFloatEnvironment() { _mm_setcsr(saved_); }
#else
  DefaultFloatEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() { std::fesetenv(&saved_); }
#endif
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
#if defined(_M_X64)
  const unsigned saved_ = _mm_getcsr();
#else
  std::fenv_t saved_;
#endif
};

}  // namespace gathernd
