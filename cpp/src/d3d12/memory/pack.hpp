// Strided host memory to packed elements in C order, and back. The device sees packed tensors only.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "d3d12/gpu/gpu.hpp"
#include "gathernd/tensor.hpp"

namespace gathernd::d3d12 {

// Elements [first, first + count), in C order. Many of them on all threads.
void pack(const Tensor& from, int64_t first, int64_t count, std::byte* to);
void unpack(const std::byte* from, int64_t first, int64_t count, const Tensor& to);

// Rows that have their bits set, of a table that they are the rows of, from the regions of it that
// they lie in.
void unpack_rows(const std::byte* from, std::span<const Region> regions,
                 std::span<const uint32_t> bits, uint64_t row_bytes, const Tensor& to);

// Calls f(first, count) for the runs of set bits among bits [begin, end), whole words.
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

// The same for bytes.
void copy_bytes(const std::byte* from, uint64_t bytes, std::byte* to);

// Bytes of the packed tensor. Throws Error(kDevice) past 2**62.
uint64_t packed_bytes(const Tensor& tensor);

}  // namespace gathernd::d3d12
