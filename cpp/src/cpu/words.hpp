// Elements as unsigned integers of their size.
#pragma once

#include <cstdint>

namespace gathernd {

inline bool is_word(int64_t size) { return size == 1 || size == 2 || size == 4 || size == 8; }

// Calls f with a zero of the unsigned integer of `size` bytes, where is_word(size).
template <class F>
auto with_bits(int64_t size, F f) {
  switch (size) {
    case 1:
      return f(uint8_t{0});
    case 2:
      return f(uint16_t{0});
    case 4:
      return f(uint32_t{0});
    default:
      return f(uint64_t{0});
  }
}

}  // namespace gathernd
