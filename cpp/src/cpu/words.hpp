// Elements as unsigned integers of their size, and rows that are moved as fast.
#pragma once

#include <cstdint>

namespace gathernd {

constexpr bool is_word(int64_t size) { return size == 1 || size == 2 || size == 4 || size == 8; }

// Whether one instruction moves a row of so many bytes.
constexpr bool is_short_row(int64_t bytes) { return is_word(bytes) || bytes == 16; }

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
