// 64-bit arithmetic that says when it overflows.
#pragma once

#include <cstdint>
#include <limits>

namespace gathernd {

// Each returns false, and leaves `result` unspecified, if the exact result does not fit.
inline bool checked_add(int64_t a, int64_t b, int64_t* result) {
  const int64_t sum = static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  *result = sum;
  return ((a ^ sum) & (b ^ sum)) >= 0;  // overflow: the sum has a sign that neither operand has
}

inline bool checked_mul(int64_t a, int64_t b, int64_t* result) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  const auto is_short = [](int64_t x) { return x == static_cast<int32_t>(x); };
  const bool fits =
      (is_short(a) && is_short(b)) || a == 0 || b == 0 ||
      (a > 0 ? (b > 0 ? a <= kMax / b : b >= kMin / a) : (b > 0 ? a >= kMin / b : b >= kMax / a));
  if (fits) *result = a * b;
  return fits;
}

}  // namespace gathernd
