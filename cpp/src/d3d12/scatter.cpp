#include <algorithm>
#include <string>

#include "gathernd/error.hpp"
#include "kernels.hpp"
#include "operators.hpp"
#include "reduce.hpp"

namespace gathernd::d3d12 {
namespace {

struct WinnerParameters {
  TupleParameters tuples;
  uint32_t count, base, rows, first_wins;
};

struct DuplicateParameters {
  uint32_t count, base, rows, second_at;
};

struct MergeParameters {
  uint32_t total, width, table_first, rows_first, end, base, count, first_wins, stops, copies;
};

// Sets rows: one winner a row, then one pass over the rows. Takes no memory once the table changes.
class Setter {
 public:
  Setter(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands, Resolver& resolver,
         const Unit& unit, const std::vector<Window>& windows)
      : gpu_(gpu),
        memory_(memory),
        operands_(operands),
        resolver_(resolver),
        unit_(unit),
        first_wins_(plan.duplicates == Duplicates::kFirst || plan.duplicates == Duplicates::kError),
        winners_(memory.take(std::ranges::max(windows, {}, &Window::rows).rows * uint64_t{4})) {}

  void find_winners(const Window& window) {
    const uint64_t bytes = std::max<uint64_t>(uint64_t{window.rows} * 4, 16);
    clear(gpu_, winners_, bytes, 0);
    for (size_t c = 0; c < resolver_.chunks().size(); ++c) {
      const Chunk& chunk = resolver_.chunks()[c];
      const Slots slots = resolver_.find_slots(c, window);
      const WinnerParameters parameters = {slots.tuples, chunk.count, base(chunk), window.rows,
                                           first_wins_};
      run(gpu_, slots.direct ? kWinnerDirect : kWinner, parameters, {slots.view},
          {{winners_.get(), Format::kAtomic, 0, bytes}, resolver_.status_view()},
          groups_for(chunk.count, kGroupSize * 4));
    }
  }

  // The first tuple of the window that repeats a slot, or kNone; and the tuple that it repeats.
  uint32_t find_duplicate(const Window& window, uint32_t* first) {
    const uint32_t second_at = resolver_.bad_words();
    const View winners = {winners_.get(), Format::kWord, 0,
                          std::max<uint64_t>(uint64_t{window.rows} * 4, 16)};
    for (size_t c = 0; c < resolver_.chunks().size(); ++c) {
      const Chunk& chunk = resolver_.chunks()[c];
      resolver_.resolve(c, window);
      const DuplicateParameters parameters = {chunk.count, base(chunk), window.rows, second_at};
      run(gpu_, kDuplicate, parameters, {resolver_.slots(c), winners}, {resolver_.status_view()},
          groups_for(chunk.count));
    }
    const uint32_t second = resolver_.read_status()[second_at];
    if (second == kNone) return second;
    for (size_t c = 0; c < resolver_.chunks().size(); ++c) {
      const Chunk& chunk = resolver_.chunks()[c];
      if (second - base(chunk) >= chunk.count) continue;
      resolver_.resolve(c, window);
      const uint32_t slot = resolver_.read_slot(second - base(chunk));
      // Another window's tuple, found before, has no slot here.
      if (slot == kNone) return kNone;
      memory_.download(*winners_, uint64_t{slot} * 4, sizeof *first, first);
      *first = ~*first;
    }
    return second;
  }

  // `copies`: the rows without a tuple come from the source.
  void merge(const Window& window, bool copies) {
    const uint64_t row_bytes = resolver_.geometry().row_bytes;
    const uint64_t bytes = window.rows * window.row_bytes;
    if (bytes == 0) return;
    const Place table = place(operands_.table, unit_.format,
                              window.first_row * row_bytes + window.first_byte, bytes, unit_.bytes);
    const uint64_t total =
        unit_.bytes == 1 ? groups_for(table.first + bytes, 4) : bytes / unit_.bytes;
    const View winners = {winners_.get(), Format::kWord, 0, uint64_t{window.rows} * 4};
    const View status = {resolver_.status().get(), Format::kWord, 0, resolver_.status_words() * 4};
    for (const Chunk& chunk : resolver_.chunks()) {
      const Place rows =
          place(operands_.rows, unit_.format, chunk.first * row_bytes + window.first_byte,
                chunk.count * window.row_bytes, unit_.bytes);
      const MergeParameters parameters = {
          .total = static_cast<uint32_t>(total),
          .width = static_cast<uint32_t>(window.row_bytes / unit_.bytes),
          .table_first = table.first,
          .rows_first = rows.first,
          .end = static_cast<uint32_t>(bytes),
          .base = base(chunk),
          .count = chunk.count,
          .first_wins = first_wins_,
          .stops = resolver_.bad_words(),
          .copies = copies,
      };
      View source = rows.view;  // not read
      if (copies)
        source = {operands_.source.get(), unit_.format, table.view.first, table.view.bytes};
      run(gpu_, *unit_.merge, parameters, {rows.view, winners, status, source}, {table.view},
          groups_for(total, kGroupSize * 4));
      copies = false;
    }
  }

 private:
  static uint32_t base(const Chunk& chunk) { return static_cast<uint32_t>(chunk.first); }

  Gpu& gpu_;
  Memory& memory_;
  const Operands& operands_;
  Resolver& resolver_;
  Unit unit_;
  uint32_t first_wins_;
  BufferPtr winners_;
};

// Before anything is written.
void check_unique(Setter& setter, const Plan& plan, const std::vector<Window>& windows) {
  uint32_t first = kNone, second = kNone;
  for (const Window& window : windows) {
    if (window.first_byte != 0) continue;
    setter.find_winners(window);
    uint32_t other = kNone;
    const uint32_t found = setter.find_duplicate(window, &other);
    if (found < second) {
      first = other;
      second = found;
    }
  }
  if (second != kNone) throw_duplicate(plan, first, second);
}

}  // namespace

void check_supported(const Plan& plan) {
  const Kind kind = plan.dtype.kind;
  const bool extended = kind == Kind::kLongDouble || kind == Kind::kComplexLongDouble;
  if (plan.reduction != Reduction::kNone && extended) {
    throw Error(ErrorKind::kType, std::string("scatter_nd: reduction \"") + name(plan.reduction) +
                                      "\" of " + name(kind) + " is not there on a D3D12 device");
  }
}

void copy_source(Gpu& gpu, const Operands& operands) {
  const uint64_t bytes = std::min(operands.table->size(), operands.source->size());
  gpu.copy(*operands.table, 0, *operands.source, 0, bytes);
}

bool copies_on_the_way(Gpu& gpu, const Operands& operands, uint32_t unit_bytes, size_t windows) {
  if (operands.source == nullptr) return false;
  if (unit_bytes % 4 == 0 || windows == 1) return true;
  copy_source(gpu, operands);
  return false;
}

Resolver scatter(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands) {
  const Geometry g = make_geometry(plan);
  if (g.tuples >= kNone) {
    throw Error(ErrorKind::kDevice, "[d3d12] scatter_nd takes fewer than 2**32 - 1 tuples");
  }
  if (plan.reduction != Reduction::kNone) return reduce(gpu, memory, plan, operands);
  constexpr size_t kCounters = 1;  // the first duplicate
  const Unit unit = unit_for(g.row_bytes);
  Resolver resolver(gpu, memory, plan, operands.indices, make_chunks(g, unit.max_bytes), kCounters);
  const auto windows = make_windows(g, unit.max_bytes);
  Setter setter(gpu, memory, plan, operands, resolver, unit, windows);
  if (plan.duplicates == Duplicates::kError) check_unique(setter, plan, windows);
  const bool undivided = windows.size() == 1 && resolver.chunks().size() == 1;
  if (operands.in_place && !undivided) resolver.read_status();  // takes the memory for it
  const bool copies = copies_on_the_way(gpu, operands, unit.bytes, windows.size());
  for (const Window& window : windows) {
    setter.find_winners(window);
    setter.merge(window, copies);
  }
  return resolver;
}

}  // namespace gathernd::d3d12
