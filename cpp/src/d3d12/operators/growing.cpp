#include "d3d12/operators/growing.hpp"

#include "d3d12/operators/operators.hpp"

namespace gathernd::d3d12 {
namespace {

// As in atomic_columns.hlsl: what a thread takes.
constexpr uint32_t kColumns = 4, kItems = 4;

}  // namespace

bool has_growing(const Plan& plan, const Geometry& g) {
  return g.row_bytes % (kColumns * 4) == 0 && has_atomics(plan, g.row_bytes) &&
         atomics_for(plan).grows() && has_direct_tuples(plan, g);
}

Growing::Growing(const ScatterCall& call, Resolver& resolver, bool in_doubt)
    : call_(call),
      resolver_(resolver),
      in_doubt_(in_doubt),
      atomics_(atomics_for(call.plan)),
      answer_(call.memory.take(kViewAlignment)) {}

void Growing::prepare() {
  for (const Shader* shader : {&shaders::sample, &shaders::check, &shaders::atomic_columns}) {
    call_.gpu.prepare(*shader);
  }
}

void Growing::record() {
  Gpu& gpu = call_.gpu;
  const Window& window = call_.strategy.windows.front();
  const uint32_t count = call_.strategy.chunks.front().count;
  const auto width = static_cast<uint32_t>(window.row_bytes / 4);
  const Slots slots = resolver_.find_slots(0, window);
  const uint64_t row_words = uint64_t{count} * width;
  const uint64_t table_words = uint64_t{window.rows} * width;
  const View table = words(call_.operands.table, table_words, Format::kAtomic);
  const SampleParameters sample = {.tuples = slots.tuples,
                                   .count = count,
                                   .width = width,
                                   .slots_end = window.rows,
                                   .most = tuning().sampled_growth,
                                   .op = atomics_.op,
                                   .kind = atomics_.kind,
                                   .complement = atomics_.complement};
  run(gpu, shaders::sample, sample,
      {slots.view, words(call_.operands.rows, row_words), words(call_.operands.table, table_words)},
      {words(answer_, 2), resolver_.status_view()}, 1);

  const OnlyIf settled(gpu, {answer_.get(), true});
  if (in_doubt_) resolver_.report_bad(0, slots);
  const AtomicParameters parameters = {.tuples = slots.tuples,
                                       .count = count,
                                       .width = width,
                                       .table_first = 0,
                                       .rows_first = 0,
                                       .slots_end = window.rows,
                                       .stops = in_doubt_ ? resolver_.bad_words() : 0,
                                       .op = atomics_.op,
                                       .kind = atomics_.kind,
                                       .complement = atomics_.complement};
  run(gpu, shaders::atomic_columns, parameters,
      {slots.view, words(call_.operands.rows, row_words, Format::kQuad)},
      {table, resolver_.status_view(), table},
      groups_for(groups_for(count, kItems) * (width / kColumns)),
      each(kGroupSize * kItems * (kColumns * costs::kItem + resolver_.index_cost())));
}

}  // namespace gathernd::d3d12
