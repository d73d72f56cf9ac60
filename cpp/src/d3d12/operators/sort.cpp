#include "d3d12/operators/sort.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "d3d12/memory/kernels.hpp"

namespace gathernd::d3d12 {

Sorter::Sorter(Gpu& gpu, Memory& memory, uint64_t count, uint64_t rows)
    : gpu_(gpu),
      pairs_(memory.take(count * 8)),
      other_pairs_(memory.take(count * 8)),
      counts_(memory.take(groups_for(count, kSortedKeys) * kBins * 4)),
      before_(memory.take(groups_for(count, kSortedKeys) * kBins * 4)),
      totals_(memory.take(uint64_t{kBins} * 4)),
      starts_(memory.take(rows * 4)),
      ends_(memory.take(rows * 4)) {}

View Sorter::sort_pairs(const View& slots, uint32_t count, uint32_t rows) {
  const auto view_of = [&](const BufferPtr& pairs) {
    return View{pairs.get(), Format::kPair, 0, uint64_t{count} * 8};
  };
  const uint64_t blocks = groups_for(count, kSortedKeys);
  const View counts = words(counts_, blocks * kBins), before = words(before_, blocks * kBins);
  const View totals = words(totals_, kBins);
  const auto key_bits = static_cast<uint32_t>(std::bit_width(rows));
  for (uint32_t shift = 0; shift < key_bits; shift += kDigitBits) {
    const View from = view_of(pairs_), to = view_of(other_pairs_);
    const SortParameters parameters = {count, rows, shift, static_cast<uint32_t>(blocks),
                                       shift == 0};
    run(gpu_, shaders::sort_count, parameters, {slots, from}, {counts}, blocks,
        each(costs::kBlock / 4));
    run(gpu_, shaders::sort_scan, parameters, {slots, from, counts}, {before, totals},
        kBins / kScannedBins, each(static_cast<double>(blocks) * kScannedBins * costs::kScan));
    run(gpu_, shaders::sort_move, parameters, {slots, from, before, totals}, {to}, blocks,
        each(costs::kBlock));
    std::swap(pairs_, other_pairs_);
  }
  return view_of(pairs_);
}

SlotOrder Sorter::sort(const View& slots, uint32_t count, uint32_t rows) {
  const View pairs = sort_pairs(slots, count, rows);
  const SlotOrder order = {words(other_pairs_, count), words(starts_, rows), words(ends_, rows)};
  clear(gpu_, order.starts, 0);
  run(gpu_, shaders::bounds, BoundsParameters{count, rows}, {pairs},
      {order.starts, order.ends, order.tuples}, groups_for(count));
  return order;
}

void Sorter::sort_into(const View& tuples, const View& starts, const View& slots, uint32_t count,
                       uint32_t rows) {
  const View pairs = sort_pairs(slots, count, rows);
  const double steps = std::bit_width(count);
  run(gpu_, shaders::starts, BoundsParameters{count, rows}, {pairs}, {starts, tuples},
      groups_for(std::max(count, rows + 1)), each(kGroupSize * steps * costs::kRow));
}

}  // namespace gathernd::d3d12
