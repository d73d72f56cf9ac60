#include "reduce.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "operators.hpp"
#include "prepared.hpp"
#include "reduce_memory.hpp"
#include "reduce_rows.hpp"
#include "widened.hpp"

namespace gathernd::d3d12 {
namespace {

constexpr uint32_t kCounters = 2;  // words of the status for each chunk and window

struct LinkParameters {
  TupleParameters tuples;
  uint32_t count, rows;
};

struct MarkParameters {
  uint32_t listed;
};

struct RankParameters {
  TupleParameters tuples;
  uint32_t count, rows, listed;
};

class Reducer {
 public:
  // `run`: as in RowReducer. `known`: what knows the order of the tuples, which are one chunk, in
  // the one window; or null.
  Reducer(Gpu& gpu, Memory& memory, const Operands& operands, Resolver& resolver,
          const Arithmetic& arithmetic, uint64_t run, ReduceMemory& taken, PreparedTuples* known)
      : gpu_(gpu),
        memory_(memory),
        operands_(operands),
        resolver_(resolver),
        arithmetic_(arithmetic),
        taken_(taken),
        known_(known),
        rows_(gpu, operands, resolver, arithmetic, run, taken.longs),
        counter_(resolver.bad_words()) {}

  // `copies`, `sparse`: as in Pass.
  void reduce(const Window& window, bool copies, bool sparse) {
    const uint64_t bytes = window.rows * window.row_bytes;
    if (bytes == 0) return;
    table_ = place(operands_.table, arithmetic_.format,
                   window.first_row * resolver_.geometry().row_bytes + window.first_byte, bytes,
                   arithmetic_.row_unit);
    std::optional<Widened> widened;
    if (taken_.floats != nullptr) {
      widened.emplace(gpu_, taken_.floats, table_, bytes, arithmetic_.parameters.kind);
      table_ = {widened->view(), 0};
    }
    for (size_t c = 0; c < resolver_.chunks().size(); ++c) {
      reduce_chunk(window, c, copies, sparse);
      copies = false;
    }
    if (widened) widened->narrow();
  }

 private:
  void reduce_chunk(const Window& window, size_t c, bool copies, bool sparse) {
    const Chunk& chunk = resolver_.chunks()[c];
    const uint32_t stops = known_ != nullptr ? 0 : resolver_.bad_words();
    const Pass pass = {window, chunk, table_, stops, counter_, copies, sparse};
    if (known_ != nullptr) {
      const SlotOrder order = known_->order(gpu_, memory_);
      rows_.reduce(pass, order, false);
      if (!known_->long_rows) known_->long_rows = count_long_rows();
      rows_.reduce_long(pass, order, *known_->long_rows, false);
    } else if (sorts_all(chunk, window)) {
      resolver_.resolve(c, window);
      Sorter& sorter = *taken_.sorter;
      sorter.sort(resolver_.slots(c), chunk.count, window.rows);
      rows_.reduce(pass, sorter.order(), false);
      rows_.reduce_long(pass, sorter.order(), window.rows, false);
    } else {
      reduce_lists(pass, c);
    }
    counter_ += kCounters;
  }

  // Tuples as lists; only those of long rows are sorted.
  void reduce_lists(const Pass& pass, size_t c) {
    const Window& window = pass.window;
    const Chunk& chunk = pass.chunk;
    const View heads_view = words(taken_.heads, window.rows);
    const View nexts_view = words(taken_.nexts, chunk.count);
    if (!pass.sparse) clear(gpu_, heads_view, 0);
    const Slots slots = pass.sparse ? clear_slots(gpu_, resolver_, window, heads_view)
                                    : resolver_.find_slots(c, window);
    run(gpu_, slots.direct ? shaders::link_direct : shaders::link,
        LinkParameters{slots.tuples, chunk.count, window.rows}, {slots.view},
        {words(taken_.heads, window.rows, Format::kAtomic), resolver_.status_view(), nexts_view},
        groups_for(chunk.count, kGroupSize * 8));  // as in link.hlsl
    rows_.reduce(pass, {slots.view, heads_view, nexts_view}, true);
    const uint32_t listed = most_long_rows(chunk, window) == 0 ? 0 : count_long_rows();
    if (listed == 0) return;
    // From here on `heads` holds ranks, `nexts` keys.
    const View longs = whole(taken_.longs, Format::kWord);
    run(gpu_, shaders::mark, MarkParameters{listed}, {longs}, {heads_view}, groups_for(listed));
    run(gpu_, slots.direct ? shaders::rank_direct : shaders::rank,
        RankParameters{slots.tuples, chunk.count, window.rows, listed},
        {slots.view, heads_view, longs}, {nexts_view, resolver_.status_view()},
        groups_for(chunk.count, kGroupSize * 4));
    Sorter& sorter = *taken_.sorter;
    sorter.sort(nexts_view, chunk.count, listed);
    rows_.reduce_long(pass, sorter.order(), listed, true);
  }

  // The device counts from kNone.
  uint32_t count_long_rows() {
    return limits().long_rows ? *limits().long_rows : resolver_.read_status()[counter_] - kNone;
  }

  Gpu& gpu_;
  Memory& memory_;
  const Operands& operands_;
  Resolver& resolver_;
  Arithmetic arithmetic_;
  ReduceMemory& taken_;
  PreparedTuples* known_;
  RowReducer rows_;
  Place table_ = {};
  uint32_t counter_;  // of the status, for the next chunk and window
};

// Makes ready what is first run when the table may have changed.
void prepare_shaders(Gpu& gpu, const Arithmetic& arithmetic) {
  for (const Shader* shader :
       {&shaders::resolve, &shaders::clear_slots, &shaders::link, &shaders::link_direct,
        &shaders::mark, &shaders::rank, &shaders::rank_direct, &shaders::sort_count,
        &shaders::sort_scan, &shaders::sort_move, &shaders::bounds, &shaders::longest,
        &shaders::narrow, arithmetic.shaders.reduce_long}) {
    gpu.prepare(*shader);
  }
}

}  // namespace

Resolver reduce(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands) {
  const Geometry g = make_geometry(plan);
  const uint64_t view_bytes = limits().view_words * 4;  // of the table, which is seen as words too
  const uint64_t halves = std::min(limits().halves, gpu.most_turns());
  const bool in_floats = rounds_once(plan) && (g.row_bytes % 4 != 0 || g.tuples > halves ||
                                               make_chunks(g, view_bytes).size() > 1);
  const Arithmetic arithmetic = arithmetic_for(plan, g, in_floats);
  // Chunks of more than a row have windows of whole rows.
  const bool by_quads = arithmetic.format == Format::kQuad && g.row_bytes <= view_bytes;
  auto chunks = make_chunks(g, by_quads ? limits().view_quads * 16 : view_bytes);
  const auto windows = make_windows(g, in_floats ? view_bytes / 2 : view_bytes);
  const size_t counters = windows.size() * chunks.size() * kCounters;
  Resolver resolver(gpu, memory, plan, operands.indices, std::move(chunks), counters);
  // All bad tuples are known before the table changes, and where there is none to change.
  if (resolver.chunks().size() > 1 || windows.front().rows == 0) {
    for (size_t c = 0; c < resolver.chunks().size(); ++c) resolver.resolve(c, windows.front());
  }
  const bool undivided = windows.size() == 1 && resolver.chunks().size() == 1;
  if (operands.in_place && !undivided) resolver.read_status();  // takes the memory for it
  const bool copies =
      !in_floats && copies_on_the_way(gpu, operands, arithmetic.unit, windows.size());
  if (in_floats && operands.source != nullptr) copy_source(gpu, operands);
  PreparedTuples* known = undivided ? operands.prepared : nullptr;
  ReduceMemory taken(gpu, memory, resolver.chunks(), windows, known != nullptr, in_floats);
  const bool at_once = undivided && most_long_rows(resolver.chunks().front(), windows.front()) == 0;
  if (operands.in_place && !at_once) prepare_shaders(gpu, arithmetic);
  // What is rounded once is summed at once.
  const uint64_t turns = std::min(limits().run, gpu.most_turns());
  const uint64_t run =
      rounds_once(plan) && !in_floats ? halves : std::max<uint64_t>(turns / arithmetic.cost, 1);
  Reducer reducer(gpu, memory, operands, resolver, arithmetic, run, taken, known);
  const bool sparse = !in_floats && is_sparse(operands, resolver, windows.front());
  for (const Window& window : windows) reducer.reduce(window, copies, sparse);
  return resolver;
}

}  // namespace gathernd::d3d12
