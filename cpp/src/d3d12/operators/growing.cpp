#include "d3d12/operators/growing.hpp"

#include "d3d12/operators/operators.hpp"

namespace gathernd::d3d12 {
namespace {

// As in look.hlsl: the words of a unit, and the units that a thread takes.
constexpr uint32_t kUnit = 4, kItems = 4;

uint32_t most_listed(const ScatterCall& call) {
  const uint64_t units =
      call.strategy.chunks.front().count * (call.strategy.windows.front().row_bytes / (kUnit * 4));
  return static_cast<uint32_t>(units / tuning().units_per_listed + 1);
}

}  // namespace

bool has_growing(const Plan& plan, const Geometry& g) {
  return g.row_bytes % (kUnit * 4) == 0 && has_atomics(plan, g.row_bytes) &&
         atomics_for(plan).grows() && has_direct_tuples(plan, g);
}

Growing::Growing(const ScatterCall& call, Resolver& resolver, bool in_doubt, uint32_t counter)
    : call_(call),
      resolver_(resolver),
      in_doubt_(in_doubt),
      counter_(counter),
      most_(most_listed(call)),
      listed_(call.memory.take(most_ * uint64_t{4})),
      sampled_(call.memory.take(kViewAlignment)),
      answer_(call.memory.take(kViewAlignment)) {}

void Growing::prepare() {
  for (const Shader* shader : {&shaders::sample, &shaders::look, &shaders::grow}) {
    call_.gpu.prepare(*shader);
  }
}

void Growing::record() {
  Gpu& gpu = call_.gpu;
  const Window& window = call_.strategy.windows.front();
  const uint32_t count = call_.strategy.chunks.front().count;
  const auto width = static_cast<uint32_t>(window.row_bytes / 4);
  const Slots slots = resolver_.find_slots(0, window);
  const uint64_t row_words = uint64_t{count} * width, table_words = uint64_t{window.rows} * width;
  const View rows = words(call_.operands.rows, row_words, Format::kQuad);
  const View table = words(call_.operands.table, table_words, Format::kAtomic);
  const View listed = words(listed_, most_);
  const Atomics atomics = atomics_for(call_.plan);
  const GrowParameters parameters = {.tuples = slots.tuples,
                                     .count = count,
                                     .width = width,
                                     .slots_end = window.rows,
                                     .stops = in_doubt_ ? resolver_.bad_words() : 0,
                                     .counter = counter_,
                                     .most = most_,
                                     .op = atomics.op,
                                     .kind = atomics.order,
                                     .complement = atomics.complement};
  const View units = words(call_.operands.table, table_words, Format::kQuad);
  const View status = resolver_.status_view();
  if (gpu.much_grows) {
    run(gpu, shaders::sample, parameters, {slots.view, rows, units}, {status, words(sampled_, 2)},
        1);
  }
  {
    const OnlyIf little_grows(gpu, {gpu.much_grows ? sampled_.get() : nullptr, true});
    run(gpu, shaders::look, parameters, {slots.view, rows, units}, {status, listed},
        groups_for(groups_for(count, kItems) * (width / kUnit)),
        each(kGroupSize * kItems * (kUnit * costs::kItem + resolver_.index_cost())));
  }
  run(gpu, shaders::grow, parameters, {slots.view, rows, listed},
      {table, status, table, words(answer_, 2)}, groups_for(most_),
      each(kGroupSize * (kUnit * costs::kItem + resolver_.index_cost())));
  resolver_.watch(counter_, most_, &gpu.much_grows);
}

}  // namespace gathernd::d3d12
