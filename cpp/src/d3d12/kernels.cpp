#include "kernels.hpp"

#include <algorithm>

#include "geometry.hpp"

namespace gathernd::d3d12 {
namespace {

#include GATHERND_D3D12_SHADERS

template <size_t kSize>
constexpr Shader make(const char* name, const unsigned char (&code)[kSize]) {
  return {name, code, kSize};
}

constexpr Shader kGather16 = make("gather_16", gather_16_code);
constexpr Shader kGather4 = make("gather_4", gather_4_code);
constexpr Shader kGather1 = make("gather_1", gather_1_code);
constexpr Shader kGatherDirect16 = make("gather_direct_16", gather_direct_16_code);
constexpr Shader kGatherDirect4 = make("gather_direct_4", gather_direct_4_code);
constexpr Shader kGatherDirect1 = make("gather_direct_1", gather_direct_1_code);

#define GATHERND_SHORT(width)                                        \
  {make("gather_short_" #width "_1", gather_short_##width##_1_code), \
   make("gather_short_" #width "_2", gather_short_##width##_2_code), \
   make("gather_short_" #width "_3", gather_short_##width##_3_code)}
constexpr Shader kGatherShort[4][kShortDepth] = {GATHERND_SHORT(1), GATHERND_SHORT(2),
                                                 GATHERND_SHORT(3), GATHERND_SHORT(4)};
#undef GATHERND_SHORT

constexpr Shader kMerge16 = make("merge_16", merge_16_code);
constexpr Shader kMerge4 = make("merge_4", merge_4_code);
constexpr Shader kMerge1 = make("merge_1", merge_1_code);
constexpr Shader kPut16 = make("put_16", put_16_code);
constexpr Shader kPut4 = make("put_4", put_4_code);
constexpr Shader kPut1 = make("put_1", put_1_code);
}  // namespace

constexpr Shader kResolve = make("resolve", resolve_code);
constexpr Shader kClear = make("clear", clear_code);
constexpr Shader kClearSlots = make("clear_slots", clear_slots_code);
constexpr Shader kWinner = make("winner", winner_code);
constexpr Shader kWinnerDirect = make("winner_direct", winner_direct_code);
constexpr Shader kDuplicate = make("duplicate", duplicate_code);
constexpr Shader kLink = make("link", link_code);
constexpr Shader kLinkDirect = make("link_direct", link_direct_code);
constexpr Shader kMark = make("mark", mark_code);
constexpr Shader kRank = make("rank", rank_code);
constexpr Shader kRankDirect = make("rank_direct", rank_direct_code);
constexpr Shader kSortCount = make("sort_count", sort_count_code);
constexpr Shader kSortScan = make("sort_scan", sort_scan_code);
constexpr Shader kSortMove = make("sort_move", sort_move_code);
constexpr Shader kBounds = make("bounds", bounds_code);
constexpr Shader kLongest = make("longest", longest_code);
constexpr Shader kWiden = make("widen", widen_code);
constexpr Shader kNarrow = make("narrow", narrow_code);

#define GATHERND_REDUCE(name, code)                                            \
  constexpr ReduceShaders name = {make("reduce_" #code, reduce_##code##_code), \
                                  make("long_" #code, long_##code##_code)};
GATHERND_REDUCE(kReduceAdd16, add_16)
GATHERND_REDUCE(kReduceAdd4, add_4)
GATHERND_REDUCE(kReduceMax16, max_16)
GATHERND_REDUCE(kReduceMax4, max_4)
GATHERND_REDUCE(kReduceMaxWord16, max_word_16)
GATHERND_REDUCE(kReduceMaxWord4, max_word_4)
GATHERND_REDUCE(kReduceAny16, any_16)
GATHERND_REDUCE(kReduceAny4, any_4)
GATHERND_REDUCE(kReduceAny1, any_1)
GATHERND_REDUCE(kReduceSum16, sum_16)
GATHERND_REDUCE(kReduceSum4, sum_4)
GATHERND_REDUCE(kReduceSumHalf16, sum_half_16)
GATHERND_REDUCE(kReduceSumHalf4, sum_half_4)
GATHERND_REDUCE(kReduceSumBHalf16, sum_bhalf_16)
GATHERND_REDUCE(kReduceSumBHalf4, sum_bhalf_4)
GATHERND_REDUCE(kReduceSumInFloats, sum_in_floats)
GATHERND_REDUCE(kReduceProduct4, product_4)
GATHERND_REDUCE(kReduceProductHalf4, product_half_4)
GATHERND_REDUCE(kReduceProductBHalf4, product_bhalf_4)
GATHERND_REDUCE(kReduceProductInFloats, product_in_floats)
GATHERND_REDUCE(kReduceWide8, wide_8)
GATHERND_REDUCE(kReduceSum8, sum_8)
GATHERND_REDUCE(kReduceComplex8, complex_8)
GATHERND_REDUCE(kReduceComplex16, complex_16)
#undef GATHERND_REDUCE

const Shader& gather_short_shader(uint64_t row_bytes, uint32_t depth) {
  return kGatherShort[row_bytes - 1][depth - 1];
}

Unit unit_for(uint64_t row_bytes) {
  if (row_bytes % 16 == 0) {
    return {16,      Format::kQuad,           &kGather16, &kGatherDirect16, &kMerge16,
            &kPut16, limits().view_quads * 16};
  }
  const uint64_t max_bytes = limits().view_words * 4;
  if (row_bytes % 4 == 0) {
    return {4, Format::kWord, &kGather4, &kGatherDirect4, &kMerge4, &kPut4, max_bytes};
  }
  return {1, Format::kWord, &kGather1, &kGatherDirect1, &kMerge1, &kPut1, max_bytes};
}

Place place(const BufferPtr& buffer, Format format, uint64_t first_byte, uint64_t bytes,
            uint32_t unit_bytes) {
  const uint64_t start = first_byte & ~(kViewAlignment - 1);
  const uint64_t before = first_byte - start;
  // Views without an element are not allowed.
  const View view = {buffer.get(), format, start, std::max<uint64_t>(before + bytes, 16)};
  return {view, static_cast<uint32_t>(before / unit_bytes)};
}

View words(const BufferPtr& buffer, uint64_t count, Format format) {
  return {buffer.get(), format, 0, std::max<uint64_t>(count, 4) * 4};
}

void clear(Gpu& gpu, View words, uint32_t value) {
  const struct {
    uint32_t total, value;
  } parameters = {static_cast<uint32_t>(groups_for(words.bytes, 16)), value};
  words.format = Format::kQuad;
  run(gpu, kClear, parameters, {}, {words}, groups_for(parameters.total, kGroupSize * 4));
}

}  // namespace gathernd::d3d12
