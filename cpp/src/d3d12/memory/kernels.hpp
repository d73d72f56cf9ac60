// The shaders, and how to run them: parameters, views, groups.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>

#include "d3d12/gpu/gpu.hpp"
#include "d3d12/memory/costs.hpp"
#include "d3d12/shaders/parameters.h"

namespace gathernd::d3d12 {

namespace shaders {
#include "shader_code.hpp"
}

// Rows are moved in units of 16 or 4 bytes, or byte by byte.
struct Unit {
  uint32_t bytes;
  Format format;
  const Shader* gather;
  const Shader* merge;
  const Shader* put;
  uint64_t max_bytes;  // of a view
};
Unit unit_for(uint64_t row_bytes);

// The shader for rows of 1 to 4 bytes and tuples of 1 to kShortDepth indices.
inline constexpr uint32_t kShortDepth = 3;
const Shader& gather_short_shader(uint64_t row_bytes, uint32_t depth);

// The shaders of a reduction.
struct ReduceShaders {
  const Shader *reduce, *reduce_lists, *reduce_long;
};

// Dispatches a shader. `Parameters` is its struct of parameters.h.
template <class Parameters>
void run(Gpu& gpu, const Shader& shader, const Parameters& parameters,
         std::initializer_list<View> reads, std::initializer_list<View> writes, uint64_t groups,
         Cost cost = each(costs::kGroup)) {
  static_assert(sizeof(Parameters) % 4 == 0 && sizeof(Parameters) <= 4 * kMaxConstants);
  uint32_t words[sizeof(Parameters) / 4];
  std::memcpy(words, &parameters, sizeof parameters);
  gpu.dispatch(shader, words, {reads.begin(), reads.size()}, {writes.begin(), writes.size()},
               groups, cost);
}

inline uint64_t groups_for(uint64_t items, uint64_t per_group = kGroupSize) {
  return (items + per_group - 1) / per_group;
}

// A part of a buffer as a view. The view starts at a coarser alignment, so the part starts at its
// unit `first`.
struct SubView {
  View view;
  uint32_t first;
};
SubView sub_view(const BufferPtr& buffer, Format format, uint64_t first_byte, uint64_t bytes,
                 uint32_t unit_bytes);

// A view of the first `count` words of a buffer, and of at least four.
View words(const BufferPtr& buffer, uint64_t count, Format format = Format::kWord);

// Sets all words to `value`, and up to three words after them.
void clear(Gpu& gpu, View words, uint32_t value);

// Copies the first `bytes` bytes of a buffer, and up to 15 bytes after them, by a shader. On an
// H200 that is five times as fast as Gpu::copy.
void copy(Gpu& gpu, Buffer& to, Buffer& from, uint64_t bytes);

}  // namespace gathernd::d3d12
