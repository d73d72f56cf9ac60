// Types for the elements that C++ has none for; how all elements are loaded and stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "cpu/kernels/half.hpp"

namespace gathernd {

struct Bool {
  uint8_t byte;  // any non-zero byte is true
};

template <class T>
struct Complex {
  T re, im;
};

// datetime64 and timedelta64.
struct Time {
  int64_t ticks;
};
inline constexpr int64_t kNaT = INT64_MIN;

template <class T>
inline T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
inline void store(T value, std::byte* to) {
  std::memcpy(to, &value, sizeof value);
}
// Clears the padding, because arithmetic leaves it undefined.
inline void store(long double value, std::byte* to) {
  constexpr bool kPadded = std::numeric_limits<long double>::digits == 64;
  std::byte bytes[sizeof value] = {};
  std::memcpy(bytes, &value, kPadded ? 10 : sizeof value);
  std::memcpy(to, bytes, sizeof bytes);
}
template <class T>
inline void store(Complex<T> value, std::byte* to) {
  store(value.re, to);
  store(value.im, to + sizeof value.re);
}

}  // namespace gathernd
