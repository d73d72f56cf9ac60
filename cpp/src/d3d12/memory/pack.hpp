// Converts strided host memory to packed elements in C order, and back. The device sees only packed
// tensors.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "d3d12/gpu/gpu.hpp"
#include "gathernd/tensor.hpp"

namespace gathernd::d3d12 {

// Copies elements [first, first + count), in C order. Large copies use all threads.
void pack(const Tensor& from, int64_t first, int64_t count, std::byte* to);
void unpack(const std::byte* from, int64_t first, int64_t count, const Tensor& to);

// Writes the rows whose bits are set to `to`. `from` holds the regions of the packed table that
// contain these rows, one after the other.
void unpack_rows(const std::byte* from, std::span<const Region> regions,
                 std::span<const uint32_t> bits, uint64_t row_bytes, const Tensor& to);

// Calls f(first, count) for each run of set bits among bits [begin, end), which are whole words.
template <class F>
void for_each_set_run(std::span<const uint32_t> bits, uint64_t begin, uint64_t end, F f) {
  uint64_t at = begin;
  // The next position from `at` on with a set bit, after `complement` has flipped the bits.
  const auto next = [&](uint32_t complement) {
    while (at < end) {
      const uint32_t word = (bits[at / 32] ^ complement) >> (at % 32);
      if (word != 0) return at + static_cast<uint64_t>(std::countr_zero(word));
      at = (at / 32 + 1) * 32;
    }
    return end;
  };
  while (true) {
    const uint64_t first = at = next(0);
    if (first == end) return;
    at = next(UINT32_MAX);
    f(first, at - first);
  }
}

// Copies bytes. Large copies use all threads.
void copy_bytes(const std::byte* from, uint64_t bytes, std::byte* to);

// The bytes of the packed tensor. Throws LimitError if they are more than 2**62.
uint64_t packed_bytes(const Tensor& tensor);

}  // namespace gathernd::d3d12
