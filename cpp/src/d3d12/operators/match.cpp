#include "d3d12/operators/match.hpp"

#include <algorithm>
#include <bit>

#include "d3d12/gpu/tuning.hpp"
#include "d3d12/operators/arithmetic.hpp"

namespace gathernd::d3d12 {
void match(Gpu& gpu, DType dtype, const BufferPtr& a, const BufferPtr& b,
           const BufferPtr& positions, uint64_t rows, uint64_t width) {
  const auto size = static_cast<uint64_t>(dtype.size);
  const auto unit = static_cast<uint32_t>(size);
  constexpr uint64_t kPosition = sizeof(int64_t);
  const uint64_t total = rows * width;
  if (total == 0) return;
  // Whole rows, or a part of one.
  const uint64_t most = std::max<uint64_t>(tuning().view_words / 2, 1);
  const uint64_t step = width <= most ? most / width * width : most;
  for (uint64_t first = 0; first < total;) {
    const uint64_t left = width <= most ? total - first : width - first % width;
    const uint64_t count = std::min(step, left);
    const SubView from_a = sub_view(a, Format::kWord, first * size, count * size, unit);
    const SubView from_b = sub_view(b, Format::kWord, first * size, count * size, unit);
    const SubView to =
        sub_view(positions, Format::kPair, first * kPosition, count * kPosition, kPosition);
    const MatchParameters parameters = {
        .total = static_cast<uint32_t>(count),
        .a_first = from_a.first,
        .b_first = from_b.first,
        .positions_first = to.first,
        .row = static_cast<uint32_t>(first / width),
        .width = static_cast<uint32_t>(std::min<uint64_t>(width, UINT32_MAX)),
        .size_log = static_cast<uint32_t>(std::bit_width(size) - 1),
        .ones = size >= 4 ? UINT32_MAX : (uint32_t{1} << size * 8) - 1,
        .infinity = infinity_of(dtype.kind),
        .truth = dtype.kind == Kind::kBool,
    };
    run(gpu, shaders::match, parameters, {from_a.view, from_b.view}, {to.view}, groups_for(count),
        each(kGroupSize * 3 * costs::kUnit));
    first += count;
  }
}

}  // namespace gathernd::d3d12
