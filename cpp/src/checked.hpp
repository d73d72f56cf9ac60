// 64-bit arithmetic that says when it overflows.
#pragma once

#include <cstdint>
#include <limits>

namespace gathernd {

// Each returns false, and leaves `result` unspecified, where the exact result does not fit.
inline bool checked_add(int64_t a, int64_t b, int64_t* result) {
#if defined(__GNUC__)
  return !__builtin_add_overflow(a, b, result);
#else
  if (b > 0 ? a > std::numeric_limits<int64_t>::max() - b
            : a < std::numeric_limits<int64_t>::min() - b) {
    return false;
  }
  *result = a + b;
  return true;
#endif
}

inline bool checked_mul(int64_t a, int64_t b, int64_t* result) {
#if defined(__GNUC__)
  return !__builtin_mul_overflow(a, b, result);
#else
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  const bool fits =
      a == 0 || b == 0 ||
      (a > 0 ? (b > 0 ? a <= kMax / b : b >= kMin / a) : (b > 0 ? a >= kMin / b : b >= kMax / a));
  if (fits) *result = a * b;
  return fits;
#endif
}

}  // namespace gathernd
