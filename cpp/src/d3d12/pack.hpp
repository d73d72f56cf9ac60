// Strided host memory to packed elements in C order, and back. The device sees packed tensors only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gathernd/tensor.hpp"

namespace gathernd::d3d12 {

// Elements [first, first + count), in C order. Many of them on all threads.
void pack(const Tensor& from, int64_t first, int64_t count, std::byte* to);
void unpack(const std::byte* from, int64_t first, int64_t count, const Tensor& to);

// The same for bytes.
void copy_bytes(const std::byte* from, uint64_t bytes, std::byte* to);

// Bytes of the packed tensor. Throws Error(kDevice) past 2**62.
uint64_t packed_bytes(const Tensor& tensor);

}  // namespace gathernd::d3d12
