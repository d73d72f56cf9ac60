#include <cstring>
#include <numeric>
#include <vector>

#include "kernels.hpp"
#include "operators.hpp"

namespace gathernd::d3d12 {
namespace {

struct GatherParameters {
  TupleParameters tuples;
  uint32_t total, width, table_first, rows_first, end, fill_period, fill_first;
};

// The fill value, repeated until whole units of it have the same bytes; without a buffer in modes
// that fill nothing.
struct FillPattern {
  BufferPtr buffer;
  uint64_t bytes = 16;
};

FillPattern make_fill(Memory& memory, const Plan& plan, const Unit& unit,
                      const std::byte* fill_value) {
  FillPattern fill;
  if (plan.mode != Mode::kFill) return fill;
  const auto size = static_cast<size_t>(plan.dtype.size);
  fill.bytes = std::lcm(size, size_t{unit.bytes});
  std::vector<std::byte> bytes(fill.bytes);
  for (size_t i = 0; i < fill.bytes; i += size) std::memcpy(bytes.data() + i, fill_value, size);
  fill.buffer = memory.take(fill.bytes);
  memory.upload(*fill.buffer, bytes.data(), fill.bytes);
  return fill;
}

}  // namespace

Resolver gather(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands,
                const std::byte* fill_value) {
  const Geometry g = make_geometry(plan);
  const Unit unit = unit_for(g.row_bytes);
  Resolver resolver(gpu, memory, plan, operands.indices, make_chunks(g, unit.max_bytes));
  const FillPattern fill = make_fill(memory, plan, unit, fill_value);
  const auto windows = make_windows(g, unit.max_bytes);
  for (size_t c = 0; c < resolver.chunks().size(); ++c) {
    const Chunk& chunk = resolver.chunks()[c];
    for (const Window& window : windows) {
      const Slots slots = resolver.find_slots(c, window);
      if (window.row_bytes == 0) continue;
      // Part of a row only where the row is too long for a view; then the chunk is one tuple.
      const uint64_t bytes = chunk.count * window.row_bytes;
      const Place table =
          place(operands.table, unit.format, window.first_row * g.row_bytes + window.first_byte,
                window.rows * window.row_bytes, unit.bytes);
      const Place rows = place(operands.rows, unit.format,
                               chunk.first * g.row_bytes + window.first_byte, bytes, unit.bytes);
      const View pattern = fill.buffer == nullptr ? table.view : whole(fill.buffer, unit.format);
      const uint64_t total =
          unit.bytes == 1 ? groups_for(rows.first + bytes, 4) : bytes / unit.bytes;
      const GatherParameters parameters = {
          .tuples = slots.tuples,
          .total = static_cast<uint32_t>(total),
          .width = static_cast<uint32_t>(window.row_bytes / unit.bytes),
          .table_first = table.first,
          .rows_first = rows.first,
          .end = static_cast<uint32_t>(bytes),
          .fill_period = static_cast<uint32_t>(fill.bytes / unit.bytes),
          .fill_first = static_cast<uint32_t>(window.first_byte % fill.bytes / unit.bytes),
      };
      run(gpu, slots.direct ? *unit.gather_direct : *unit.gather, parameters,
          {slots.view, table.view, pattern}, {rows.view, resolver.status_view()},
          groups_for(total, kGroupSize * 4));
    }
  }
  return resolver;
}

}  // namespace gathernd::d3d12
