#include <cstring>
#include <numeric>
#include <vector>

#include "d3d12/gpu/failure.hpp"
#include "d3d12/memory/kernels.hpp"
#include "d3d12/operators/operators.hpp"
#include "d3d12/operators/strategy.hpp"
#include "runtime/trace.hpp"

namespace gathernd::d3d12 {
namespace {

constexpr uint32_t kGatherGroup = 64;  // threads

// The fill value, repeated until it fills whole units. No buffer if nothing is filled.
struct FillPattern {
  BufferPtr buffer;
  uint64_t bytes = 16;
};

FillPattern make_fill(Memory& memory, const Plan& plan, const Unit& unit,
                      const std::byte* fill_value) {
  FillPattern fill;
  if (plan.mode != Mode::kFill || plan.dtype.size == 0) return fill;
  const auto size = static_cast<size_t>(plan.dtype.size);
  fill.bytes = std::lcm(size, size_t{unit.bytes});
  if (fill.bytes > unit.max_bytes) {
    throw LimitError("[d3d12] the fill value has too many bytes for the device");
  }
  std::vector<std::byte> bytes(fill.bytes);
  for (size_t i = 0; i < fill.bytes; i += size) std::memcpy(bytes.data() + i, fill_value, size);
  fill.buffer = memory.take(fill.bytes);
  memory.upload(*fill.buffer, bytes.data(), fill.bytes);
  return fill;
}

// What a dispatch reads and writes.
struct OperandViews {
  Slots slots;
  SubView table, rows;
};

// Moves four short rows per thread.
void gather_short(Gpu& gpu, const Resolver& resolver, const Unit& unit, const OperandViews& views,
                  uint32_t count) {
  const uint64_t width = resolver.geometry().row_bytes;
  const TupleParameters& tuples = views.slots.tuples;
  const uint32_t rows_first = views.rows.first * unit.bytes;
  View indices = views.slots.view, rows = views.rows.view;
  indices.format = Format::kQuad;
  rows.format = width == 4 ? Format::kQuad : Format::kWord;
  const GatherShortParameters parameters = {
      .tuples = tuples,
      .count = count,
      .table_first = views.table.first * unit.bytes,
      .rows_first = rows_first / (width == 4 ? 16 : 4),
      .end = static_cast<uint32_t>(groups_for(count * width, 4)),
  };
  run(gpu, gather_short_shader(width, tuples.depth), parameters, {indices, views.table.view},
      {rows, resolver.status_view()}, groups_for(count, kGatherGroup * 4),
      each(kGatherGroup * 4 * (costs::kUnit + resolver.index_cost())));
}

}  // namespace

Resolver gather(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands,
                const std::byte* fill_value) {
  const Geometry g = make_geometry(plan);
  const Unit unit = unit_for(g.row_bytes);
  const GatherStrategy strategy = choose_gather(plan);
  Trace::record("gather", strategy);
  Resolver resolver(gpu, memory, plan, operands, strategy.chunks);
  const FillPattern fill = make_fill(memory, plan, unit, fill_value);
  const bool resolves = strategy.way == GatherWay::kSlots || strategy.way == GatherWay::kCheck;
  for (size_t c = 0; c < resolver.chunks().size(); ++c) {
    const Chunk& chunk = resolver.chunks()[c];
    for (const Window& window : strategy.windows) {
      const Slots slots = resolver.find_slots(c, window, resolves);
      if (strategy.way == GatherWay::kCheck) continue;
      // A window has part of a row only if the row is too long for a view; the chunk is then one
      // tuple.
      const uint64_t bytes = chunk.count * window.row_bytes;
      const SubView table =
          sub_view(operands.table, unit.format, window.first_row * g.row_bytes + window.first_byte,
                   window.rows * window.row_bytes, unit.bytes);
      const SubView rows =
          sub_view(operands.rows, unit.format, chunk.first * g.row_bytes + window.first_byte, bytes,
                   unit.bytes);
      const View pattern = fill.buffer == nullptr ? table.view : whole(fill.buffer, unit.format);
      if (strategy.way == GatherWay::kShortRows) {
        gather_short(gpu, resolver, unit, {slots, table, rows}, chunk.count);
        continue;
      }
      const uint64_t total =
          unit.bytes == 1 ? groups_for(rows.first + bytes, 4) : bytes / unit.bytes;
      const auto width = static_cast<uint32_t>(window.row_bytes / unit.bytes);
      const GatherParameters parameters = {
          .tuples = slots.tuples,
          .steps = {kGatherGroup / width, kGatherGroup % width},
          .total = static_cast<uint32_t>(total),
          .width = width,
          .table_first = table.first,
          .rows_first = rows.first,
          .end = static_cast<uint32_t>(bytes),
          .fill_period = static_cast<uint32_t>(fill.bytes / unit.bytes),
          .fill_first = static_cast<uint32_t>(window.first_byte % fill.bytes / unit.bytes),
      };
      run(gpu, *unit.gather, parameters, {slots.view, table.view, pattern},
          {rows.view, resolver.status_view()},
          groups_for(total, unit.bytes == 1 ? kGatherGroup : kGatherGroup * 4),
          each(kGatherGroup * 4 * (costs::kUnit + resolver.index_cost())));
    }
  }
  return resolver;
}

}  // namespace gathernd::d3d12
