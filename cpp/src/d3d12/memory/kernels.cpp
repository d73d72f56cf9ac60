#include "d3d12/memory/kernels.hpp"

#include <algorithm>

#include "d3d12/memory/geometry.hpp"

namespace gathernd::d3d12 {

const Shader& gather_short_shader(uint64_t row_bytes, uint32_t depth) {
  using namespace shaders;
  static constexpr const Shader* kShaders[4][kShortDepth] = {
      {&gather_short_1_1, &gather_short_1_2, &gather_short_1_3},
      {&gather_short_2_1, &gather_short_2_2, &gather_short_2_3},
      {&gather_short_3_1, &gather_short_3_2, &gather_short_3_3},
      {&gather_short_4_1, &gather_short_4_2, &gather_short_4_3}};
  return *kShaders[row_bytes - 1][depth - 1];
}

Unit unit_for(uint64_t row_bytes) {
  if (row_bytes % 16 == 0) {
    return {16,
            Format::kQuad,
            &shaders::gather_16,
            &shaders::merge_16,
            &shaders::put_16,
            tuning().view_quads * 16};
  }
  const uint64_t max_bytes = tuning().view_words * 4;
  if (row_bytes % 4 == 0) {
    return {4, Format::kWord, &shaders::gather_4, &shaders::merge_4, &shaders::put_4, max_bytes};
  }
  return {1, Format::kWord, &shaders::gather_1, &shaders::merge_1, &shaders::put_1, max_bytes};
}

SubView sub_view(const BufferPtr& buffer, Format format, uint64_t first_byte, uint64_t bytes,
                 uint32_t unit_bytes) {
  const uint64_t start = first_byte & ~(kViewAlignment - 1);
  const uint64_t before = first_byte - start;
  // D3D12 does not allow views without elements.
  const View view = {buffer.get(), format, start, std::max<uint64_t>(before + bytes, 16)};
  return {view, static_cast<uint32_t>(before / unit_bytes)};
}

View words(const BufferPtr& buffer, uint64_t count, Format format) {
  return {buffer.get(), format, 0, std::max<uint64_t>(count, 4) * 4};
}

void clear(Gpu& gpu, View words, uint32_t value) {
  const ClearParameters parameters = {static_cast<uint32_t>(groups_for(words.bytes, 16)), value};
  words.format = Format::kQuad;
  run(gpu, shaders::clear, parameters, {}, {words}, groups_for(parameters.total, kGroupSize * 4));
}

void copy(Gpu& gpu, Buffer& to, Buffer& from, uint64_t bytes) {
  const uint64_t step = std::max(tuning().view_quads * 16 & ~(kViewAlignment - 1), kViewAlignment);
  for (uint64_t first = 0; first < bytes; first += step) {
    const uint64_t units = groups_for(std::min(step, bytes - first), 16);
    const CopyParameters parameters = {static_cast<uint32_t>(units)};
    run(gpu, shaders::copy, parameters, {{&from, Format::kQuad, first, units * 16}},
        {{&to, Format::kQuad, first, units * 16}}, groups_for(units, kGroupSize * 4));
  }
}

}  // namespace gathernd::d3d12
