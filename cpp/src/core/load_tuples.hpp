// Index tuples of any type and layout as lanes of int32_t or int64_t. Each index is read once.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>

#include "core/layout.hpp"
#include "gathernd/plan.hpp"

namespace gathernd {

// Reads an index that another thread may be writing. The fence keeps the compiler from reading it
// again.
template <class T>
T read_once(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return value;
}

template <class T>
T swap_bytes(T value) {
  auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
  std::ranges::reverse(bytes);
  return std::bit_cast<T>(bytes);
}

// Stores `count` tuples, which start at `from` and are `stride` bytes apart, as consecutive lanes.
template <class T, bool kNative, class I>
void load_run(const Plan& plan, const std::byte* from, int64_t stride, int64_t count, I* lanes) {
  constexpr int64_t kSize = sizeof(T);
  const auto load = [](const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return static_cast<I>(kNative ? value : swap_bytes(value));
  };
  const int64_t depth = plan.depth;
  if (stride == depth * kSize && (depth == 1 || plan.component_stride == kSize)) {
    for (int64_t i = 0; i < count * depth; ++i) lanes[i] = load(from + i * kSize);
    return;
  }
  for (int64_t k = 0; k < depth; ++k) {
    const std::byte* component = from + k * plan.component_stride;
    for (int64_t t = 0; t < count; ++t) lanes[t * depth + k] = load(component + t * stride);
  }
}

// Stores the tuples [first, first + n) as consecutive lanes.
template <class T, class I>
void load_tuples(const Plan& plan, const std::byte* indices, int64_t first, int64_t n, I* lanes) {
  const auto load = plan.index_type.native ? load_run<T, true, I> : load_run<T, false, I>;
  for_each_run(plan.index_walk, first, n, [&](int64_t offset, int64_t stride, int64_t count) {
    load(plan, indices + offset, stride, count, lanes);
    lanes += count * plan.depth;
  });
  // Another thread may rewrite the indices: the compiler must not read them again after this.
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

template <class I>
void load_lanes(const Plan& plan, const std::byte* indices, int64_t first, int64_t n, I* lanes) {
  switch (plan.index_type.kind) {
    case Kind::kInt8:
      return load_tuples<int8_t>(plan, indices, first, n, lanes);
    case Kind::kInt16:
      return load_tuples<int16_t>(plan, indices, first, n, lanes);
    case Kind::kInt32:
      return load_tuples<int32_t>(plan, indices, first, n, lanes);
    case Kind::kUInt8:
      return load_tuples<uint8_t>(plan, indices, first, n, lanes);
    case Kind::kUInt16:
      return load_tuples<uint16_t>(plan, indices, first, n, lanes);
    case Kind::kUInt32:
      return load_tuples<uint32_t>(plan, indices, first, n, lanes);
    default:
      return load_tuples<int64_t>(plan, indices, first, n, lanes);
  }
}

}  // namespace gathernd
