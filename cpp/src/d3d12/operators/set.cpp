#include "d3d12/operators/set.hpp"

#include <algorithm>

#include "d3d12/gpu/failure.hpp"
#include "d3d12/operators/operators.hpp"

namespace gathernd::d3d12 {
namespace {

uint32_t base(const Chunk& chunk) { return static_cast<uint32_t>(chunk.first); }

// Throws DuplicateError if a slice is addressed twice. Called before anything is written.
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

Setter::Setter(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands,
               Resolver& resolver, const Unit& unit, const ScatterStrategy& strategy)
    : gpu_(gpu),
      memory_(memory),
      operands_(operands),
      resolver_(resolver),
      unit_(unit),
      first_wins_(plan.duplicates == Duplicates::kFirst || plan.duplicates == Duplicates::kError),
      by_tuple_(strategy.way == ScatterWay::kWinnersByTuple),
      winners_(
          memory.take_epoch_table(std::ranges::max(strategy.windows, {}, &Window::rows).rows)) {}

void Setter::find_winners(const Window& window) {
  floor_ = winners_.begin(gpu_, static_cast<uint32_t>(resolver_.geometry().tuples));
  for (size_t c = 0; c < resolver_.chunks().size(); ++c) {
    const Chunk& chunk = resolver_.chunks()[c];
    const Slots slots = resolver_.find_slots(c, window, by_tuple_);
    const WinnerParameters parameters = {slots.tuples, chunk.count, window.rows, entry_of(chunk),
                                         first_wins_};
    run(gpu_, shaders::winner, parameters, {slots.view},
        {winners_.view(window.rows, Format::kAtomic), resolver_.status_view()},
        groups_for(chunk.count, kGroupSize * 4),
        each(costs::kGroup + kGroupSize * 4 * resolver_.index_cost()));
  }
}

uint32_t Setter::find_duplicate(const Window& window, uint32_t* first) {
  const uint32_t second_at = resolver_.bad_words();
  for (size_t c = 0; c < resolver_.chunks().size(); ++c) {
    const Chunk& chunk = resolver_.chunks()[c];
    resolver_.resolve(c, window);
    const DuplicateParameters parameters = {chunk.count, base(chunk),     window.rows,
                                            second_at,   entry_of(chunk), first_wins_};
    run(gpu_, shaders::duplicate, parameters, {resolver_.slots(c), winners_.view(window.rows)},
        {resolver_.status_view()}, groups_for(chunk.count));
  }
  const uint32_t second = resolver_.read_status()[second_at];
  if (second == kNone) return second;
  for (size_t c = 0; c < resolver_.chunks().size(); ++c) {
    const Chunk& chunk = resolver_.chunks()[c];
    if (second - base(chunk) >= chunk.count) continue;
    resolver_.resolve(c, window);
    const uint32_t slot = resolver_.read_slot(second - base(chunk));
    // A tuple of another window, which was found before, has no slot here.
    if (slot == kNone) return kNone;
    uint32_t entry;
    memory_.download(*winners_.words(), uint64_t{slot} * 4, sizeof entry, &entry);
    *first = entry_of({}) - entry;
  }
  return second;
}

void Setter::write(const Window& window, bool copies) {
  if (window.rows * window.row_bytes == 0) return;
  by_tuple_ ? put(window) : merge(window, copies);
}

uint32_t Setter::entry_of(const Chunk& chunk) const {
  const auto tuples = static_cast<uint32_t>(resolver_.geometry().tuples);
  return first_wins_ ? floor_ + tuples - base(chunk) : floor_ + 1 + base(chunk);
}

SubView Setter::table_view(const Window& window) const {
  return sub_view(operands_.table, unit_.format,
                  window.first_row * resolver_.geometry().row_bytes + window.first_byte,
                  window.rows * window.row_bytes, unit_.bytes);
}
SubView Setter::rows_view(const Window& window, const Chunk& chunk) const {
  return sub_view(operands_.rows, unit_.format,
                  chunk.first * resolver_.geometry().row_bytes + window.first_byte,
                  chunk.count * window.row_bytes, unit_.bytes);
}

void Setter::put(const Window& window) {
  const Chunk& chunk = resolver_.chunks().front();
  const SubView rows = rows_view(window, chunk);
  SubView table = table_view(window);
  if (unit_.bytes == 1) table.view.format = Format::kAtomic;
  const auto width = static_cast<uint32_t>(window.row_bytes / unit_.bytes);
  const PutParameters parameters = {.total = chunk.count * width,
                                    .width = width,
                                    .table_first = table.first,
                                    .rows_first = rows.first,
                                    .slots_end = window.rows,
                                    .entry = entry_of(chunk),
                                    .first_wins = first_wins_,
                                    .stops = resolver_.bad_words()};
  run(gpu_, *unit_.put, parameters,
      {rows.view, winners_.view(window.rows), words(resolver_.status(), resolver_.status_words()),
       resolver_.slots(0)},
      {table.view}, groups_for(parameters.total), each(kGroupSize * 2 * costs::kUnit));
}

void Setter::merge(const Window& window, bool copies) {
  const uint64_t bytes = window.rows * window.row_bytes;
  const SubView table = table_view(window);
  const uint64_t total =
      unit_.bytes == 1 ? groups_for(table.first + bytes, 4) : bytes / unit_.bytes;
  for (const Chunk& chunk : resolver_.chunks()) {
    const SubView rows = rows_view(window, chunk);
    const MergeParameters parameters = {
        .total = static_cast<uint32_t>(total),
        .width = static_cast<uint32_t>(window.row_bytes / unit_.bytes),
        .table_first = table.first,
        .rows_first = rows.first,
        .end = static_cast<uint32_t>(bytes),
        .count = chunk.count,
        .entry = entry_of(chunk),
        .first_wins = first_wins_,
        .stops = resolver_.bad_words(),
        .copies = copies,
    };
    View source = rows.view;  // not read
    if (copies) source = {operands_.source.get(), unit_.format, table.view.first, table.view.bytes};
    run(gpu_, *unit_.merge, parameters,
        {rows.view, winners_.view(window.rows), words(resolver_.status(), resolver_.status_words()),
         source},
        {table.view}, groups_for(total, kGroupSize * 4),
        each(kGroupSize * (unit_.bytes == 1 ? 32 : 8) * costs::kUnit));
    copies = false;
  }
}

namespace {

class Winners final : public ScatterRun {
 public:
  explicit Winners(const ScatterCall& call)
      : ScatterRun(call, kCounters),
        unit_(unit_for(resolver_.geometry().row_bytes)),
        setter_(call.gpu, call.memory, call.plan, call.operands, resolver_, unit_, call.strategy) {}

  void prepare() override {
    const std::vector<Window>& windows = call_.strategy.windows;
    if (call_.plan.duplicates == Duplicates::kError) check_unique(setter_, call_.plan, windows);
    if (changes_between()) resolver_.read_status();
    copies_ = copies_on_the_way(call_.gpu, call_.operands, unit_.bytes, windows.size());
  }

  void record() override {
    for (const Window& window : call_.strategy.windows) {
      setter_.find_winners(window);
      setter_.write(window, copies_);
    }
  }

 private:
  static constexpr size_t kCounters = 1;  // the first duplicate

  Unit unit_;
  Setter setter_;
  bool copies_ = false;
};

}  // namespace

std::unique_ptr<ScatterRun> by_winners(const ScatterCall& call) {
  return std::make_unique<Winners>(call);
}

}  // namespace gathernd::d3d12
