// Elements as unsigned integers of their size, and rows that move as fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace gathernd {

constexpr bool is_word(int64_t size) { return size == 1 || size == 2 || size == 4 || size == 8; }

// Whether one instruction moves a row of so many bytes.
constexpr bool is_short_row(int64_t bytes) { return is_word(bytes) || bytes == 16; }

// Whether two instructions do so: pixels of three bytes, or of three halves.
constexpr bool is_pixel(int64_t bytes) { return bytes == 3 || bytes == 6; }

// The unsigned integer of kBytes, if is_word(kBytes).
template <size_t kBytes>
using Word = std::conditional_t<
    kBytes == 1, uint8_t,
    std::conditional_t<kBytes == 2, uint16_t, std::conditional_t<kBytes == 4, uint32_t, uint64_t>>>;

// Calls f with a zero of the unsigned integer of `size` bytes, if is_word(size).
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
