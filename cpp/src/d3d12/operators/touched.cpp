#include "d3d12/operators/touched.hpp"

#include <algorithm>
#include <vector>

#include "d3d12/gpu/tuning.hpp"
#include "d3d12/memory/pack.hpp"
#include "runtime/buffer.hpp"

namespace gathernd::d3d12 {
namespace {

// The byte ranges of the runs of touched rows. Runs that are close together become one region,
// because each region costs a copy.
std::vector<Region> find_regions(std::span<const uint32_t> bits, uint64_t row_bytes) {
  std::vector<Region> regions;
  for_each_set_run(bits, 0, bits.size() * 32, [&](uint64_t first, uint64_t count) {
    const uint64_t begin = first * row_bytes, end = begin + count * row_bytes;
    if (regions.empty() || begin - regions.back().end() > tuning().region_gap) {
      regions.push_back({begin, end - begin});
    } else {
      regions.back().bytes = end - regions.back().first;
    }
  });
  return regions;
}

}  // namespace

BufferPtr find_touched(Gpu& gpu, Memory& memory, Resolver& resolver) {
  const Geometry& g = resolver.geometry();
  const uint64_t words = groups_for(g.rows, 32);
  BufferPtr bits = memory.take(words * 4);
  clear(gpu, d3d12::words(bits, words), 0);
  const uint64_t step = std::max<uint64_t>(tuning().view_words / 32 * 32, 32);
  for (uint64_t row = 0; row < g.rows; row += step) {
    const Window window = {row, static_cast<uint32_t>(std::min(step, g.rows - row)), 0,
                           g.row_bytes};
    const SubView at = sub_view(bits, Format::kAtomic, row / 8, groups_for(window.rows, 32) * 4, 4);
    for (size_t c = 0; c < resolver.chunks().size(); ++c) {
      const Slots slots = resolver.find_slots(c, window);
      const TouchedParameters parameters = {slots.tuples, resolver.chunks()[c].count, window.rows,
                                            at.first * 32};
      run(gpu, shaders::touched, parameters, {slots.view}, {at.view, resolver.status_view()},
          groups_for(parameters.count, kGroupSize * 4),
          each(costs::kGroup + kGroupSize * 4 * resolver.index_cost()));
    }
  }
  return bits;
}

void download_touched(Gpu& gpu, Memory& memory, Resolver& resolver, Buffer& table,
                      const Tensor& output) {
  const Geometry& g = resolver.geometry();
  const BufferPtr touched = find_touched(gpu, memory, resolver);
  const auto words = static_cast<int64_t>(groups_for(g.rows, 32));
  const gathernd::Buffer<uint32_t> memory_of_bits(static_cast<size_t>(words));
  const std::span<uint32_t> bits(memory_of_bits.data(), static_cast<size_t>(words));
  constexpr int64_t kWord = 4;
  const Tensor here = {
      reinterpret_cast<std::byte*>(bits.data()), {Kind::kUInt32, 4}, {&words, 1}, {&kWord, 1}};
  const Memory::Status status = {*resolver.status(), resolver.status_words(),
                                 [&](const uint32_t* found) { resolver.check(found); }};
  memory.download(*touched, here, true, &status);
  const std::vector<Region> regions = find_regions(bits, g.row_bytes);
  uint64_t bytes = 0;
  for (const Region& region : regions) bytes += region.bytes;
  const gathernd::Buffer<std::byte> packed(bytes);
  memory.download(table, regions, packed.data());
  gpu.interrupt().hold();
  unpack_rows(packed.data(), regions, bits, g.row_bytes, output);
}

}  // namespace gathernd::d3d12
