#include "d3d12/operators/reducer.hpp"

#include <optional>

#include "d3d12/operators/halves_in_floats.hpp"

namespace gathernd::d3d12 {

Reducer::Reducer(Gpu& gpu, Memory& memory, const Operands& operands, Resolver& resolver,
                 const Arithmetic& arithmetic, uint64_t run, bool at_once, ReduceMemory& taken,
                 ScatterWay way, const Condition& only_if)
    : gpu_(gpu),
      memory_(memory),
      operands_(operands),
      resolver_(resolver),
      arithmetic_(arithmetic),
      taken_(taken),
      way_(way),
      only_if_(only_if),
      rows_(gpu, operands, resolver, arithmetic, run, at_once, taken.longs),
      counter_(resolver.bad_words()) {}

void Reducer::reduce(const Window& window, bool copies, bool by_tuple) {
  const uint64_t bytes = window.rows * window.row_bytes;
  table_ = sub_view(operands_.table, arithmetic_.format,
                    window.first_row * resolver_.geometry().row_bytes + window.first_byte, bytes,
                    arithmetic_.row_unit);
  std::optional<HalvesInFloats> halves;
  if (taken_.floats != nullptr) {
    halves.emplace(gpu_, taken_.floats, table_, bytes, arithmetic_.parameters.kind);
    table_ = {halves->view(), 0};
  }
  for (size_t c = 0; c < resolver_.chunks().size(); ++c) {
    reduce_chunk(window, c, copies, by_tuple);
    copies = false;
  }
  if (halves) halves->round();
}

void Reducer::reduce_chunk(const Window& window, size_t c, bool copies, bool by_tuple) {
  const bool is_kept = way_ == ScatterWay::kKeptOrder;
  const uint32_t stops = is_kept ? 0 : resolver_.bad_words();
  const Pass pass = {window, resolver_.chunks()[c], table_, stops, counter_, copies, by_tuple};
  if (is_kept) {
    reduce_kept(pass, *operands_.prepared);
  } else if (way_ == ScatterWay::kSorted) {
    reduce_sorted(pass, c);
  } else {
    reduce_lists(pass, c);
  }
  counter_ += kCounters;
}

void Reducer::reduce_kept(const Pass& pass, KeptTuples& kept) {
  const SlotOrder order = kept.order(gpu_, memory_);
  const uint64_t count = pass.chunk.count;
  rows_.reduce(pass, {&kept.indices(), Format::kWord, 0, count * 4}, order);
  if (!kept.long_rows) kept.long_rows = count_long_rows();
  rows_.reduce_long(pass, order, *kept.long_rows, false);
}

void Reducer::reduce_sorted(const Pass& pass, size_t c) {
  const Window& window = pass.window;
  const OnlyIf only(gpu_, only_if_);
  resolver_.resolve(c, window);
  Sorter& sorter = *taken_.sorter;
  const View slots = resolver_.slots(c);
  const SlotOrder order = sorter.sort(slots, pass.chunk.count, window.rows);
  rows_.reduce(pass, slots, order);
  rows_.reduce_long(pass, order, window.rows, false);
}

void Reducer::reduce_lists(const Pass& pass, size_t c) {
  const Window& window = pass.window;
  const Chunk& chunk = pass.chunk;
  const View heads_view = taken_.heads.view(window.rows);
  const View nexts_view = words(taken_.nexts, chunk.count);
  const uint32_t floor = taken_.heads.begin(gpu_, chunk.count);
  const Slots slots = resolver_.find_slots(c, window, pass.by_tuple);
  const OnlyIf only(gpu_, only_if_);
  run(gpu_, shaders::link, LinkParameters{slots.tuples, chunk.count, window.rows, floor},
      {slots.view},
      {taken_.heads.view(window.rows, Format::kAtomic), resolver_.status_view(), nexts_view},
      groups_for(chunk.count, kGroupSize * 8),  // as in link.hlsl
      each(2 * costs::kGroup + kGroupSize * 8 * resolver_.index_cost()));
  rows_.reduce_lists(pass, slots.view, {heads_view, nexts_view, floor});
  const uint32_t listed = most_long_rows(chunk, window) == 0 ? 0 : count_long_rows();
  if (listed == 0) return;
  // From here on `heads` holds ranks, which are smaller than the entries, and `nexts` holds keys.
  const View longs = whole(taken_.longs, Format::kWord);
  run(gpu_, shaders::mark, MarkParameters{listed}, {longs}, {heads_view}, groups_for(listed));
  run(gpu_, shaders::rank, RankParameters{slots.tuples, chunk.count, window.rows, listed},
      {slots.view, heads_view, longs}, {nexts_view, resolver_.status_view()},
      groups_for(chunk.count, kGroupSize * 4),
      each(costs::kGroup + kGroupSize * 4 * resolver_.index_cost()));
  Sorter& sorter = *taken_.sorter;
  rows_.reduce_long(pass, sorter.sort(nexts_view, chunk.count, listed), listed, true);
}

// The device starts counting at kNone.
uint32_t Reducer::count_long_rows() {
  return tuning().long_rows ? *tuning().long_rows : resolver_.read_status()[counter_] - kNone;
}

}  // namespace gathernd::d3d12
