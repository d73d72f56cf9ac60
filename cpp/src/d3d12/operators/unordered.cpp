#include "d3d12/operators/unordered.hpp"

#include "d3d12/operators/atomics.hpp"
#include "d3d12/operators/operators.hpp"

namespace gathernd::d3d12 {
namespace {

const Shader& shader_for(const Atomics& atomics, bool merges) {
  if (atomics.item_bytes == 8) return merges ? shaders::atomic_64_merged : shaders::atomic_64;
  return merges ? shaders::atomic_merged : shaders::atomic;
}

class Combiner {
 public:
  Combiner(Gpu& gpu, const Operands& operands, Resolver& resolver, const Atomics& atomics,
           bool preaggregates)
      : gpu_(gpu),
        operands_(operands),
        resolver_(resolver),
        atomics_(atomics),
        preaggregates_(preaggregates) {}

  // Prepares what combine() runs, because that could fail after the table has changed.
  void prepare() { gpu_.prepare(shader_for(atomics_, preaggregates_)); }

  // Combines the tuples of a chunk into a window. `looks_first`: all tuples are checked before any
  // is written.
  void combine(const Window& window, size_t c, bool looks_first);

 private:
  SubView items_view(const BufferPtr& buffer, Format format, const Window& window,
                     uint64_t first_row, uint64_t rows) const {
    const uint64_t first = first_row * resolver_.geometry().row_bytes + window.first_byte;
    return sub_view(buffer, format, first, rows * window.row_bytes, atomics_.item_bytes);
  }

  Gpu& gpu_;
  const Operands& operands_;
  Resolver& resolver_;
  Atomics atomics_;
  bool preaggregates_;
};

void Combiner::combine(const Window& window, size_t c, bool looks_first) {
  const Chunk& chunk = resolver_.chunks()[c];
  const Slots slots = resolver_.find_slots(c, window);
  if (looks_first) resolver_.report_bad(c, slots);
  const Format format = atomics_.item_bytes == 8 ? Format::kPair : Format::kWord;
  const SubView table =
      items_view(operands_.table, Format::kAtomic, window, window.first_row, window.rows);
  const SubView rows = items_view(operands_.rows, format, window, chunk.first, chunk.count);
  const auto width = static_cast<uint32_t>(window.row_bytes / atomics_.item_bytes);
  const AtomicParameters parameters = {.tuples = slots.tuples,
                                       .count = chunk.count,
                                       .width = width,
                                       .table_first = table.first,
                                       .rows_first = rows.first,
                                       .slots_end = window.rows,
                                       .stops = looks_first ? resolver_.bad_words() : 0,
                                       .op = atomics_.op,
                                       .kind = atomics_.order,
                                       .complement = atomics_.complement};
  run(gpu_, shader_for(atomics_, preaggregates_), parameters, {slots.view, rows.view},
      {table.view, resolver_.status_view(), table.view},
      groups_for(groups_for(chunk.count, 4) * width),  // as in atomic.hlsl
      each(kGroupSize * 4 * (costs::kItem + resolver_.index_cost())));
}

class AtomicScatter final : public ScatterRun {
 public:
  explicit AtomicScatter(const ScatterCall& call)
      : ScatterRun(call),
        combiner_(call.gpu, call.operands, resolver_, atomics_for(call.plan),
                  call.strategy.preaggregates) {}

  void prepare() override {
    if (is_in_doubt() && changes_between()) resolve_all();
    if (changes_between()) {
      combiner_.prepare();
      resolver_.read_status();
    }
    if (call_.operands.source != nullptr) copy_source(call_.gpu, call_.operands);
  }

  void record() override {
    const bool looks_first = is_in_doubt() && !changes_between();
    for (const Window& window : call_.strategy.windows) {
      for (size_t c = 0; c < resolver_.chunks().size(); ++c) {
        combiner_.combine(window, c, looks_first);
      }
    }
  }

 private:
  Combiner combiner_;
};

}  // namespace

std::unique_ptr<ScatterRun> by_atomics(const ScatterCall& call) {
  return std::make_unique<AtomicScatter>(call);
}

}  // namespace gathernd::d3d12
