#include "reduce.hpp"

#include <algorithm>
#include <bit>

#include "kernels.hpp"
#include "sort.hpp"

namespace gathernd::d3d12 {
namespace {

// The `kind` of the reducing shaders.
constexpr uint32_t kPlain = 0;
constexpr uint32_t kSigned = 1;
constexpr uint32_t kBool = 2, kFloat = 3, kHalf = 4;     // reduce_narrow
constexpr uint32_t kDouble = 2;                          // reduce_wide
constexpr uint32_t kFromFloat16 = 1, kFromBFloat16 = 2;  // reduce_float, widen

struct Arithmetic {
  const Shader* shader;
  uint32_t kind;
  uint32_t size;        // bytes an element of the table, as the shader counts them
  bool halves = false;  // accumulates in float32, and rounds once
};

Arithmetic arithmetic_for(Kind kind, Reduction reduction, uint32_t size) {
  const bool ordering = reduction == Reduction::kMin || reduction == Reduction::kMax;
  const bool product = reduction == Reduction::kMul;
  switch (kind) {
    case Kind::kBool:
      return {&kReduceNarrow, kBool, 1};
    case Kind::kFloat16:
      if (ordering) return {&kReduceNarrow, kHalf, 2};
      return {&kReduceFloat, kFromFloat16, 2, true};
    case Kind::kBFloat16:
      if (ordering) return {&kReduceNarrow, kFloat, 2};
      return {&kReduceFloat, kFromBFloat16, 2, true};
    case Kind::kFloat32:
      if (ordering) return {&kReduceNarrow, kFloat, 4};
      return {&kReduceFloat, kPlain, 4};
    case Kind::kFloat64:
      return {&kReduceWide, kDouble, 8};
    case Kind::kComplex64:
      return product ? Arithmetic{&kReduceComplex64, kPlain, 8}
                     : Arithmetic{&kReduceFloat, kPlain, 4};
    case Kind::kComplex128:
      return product ? Arithmetic{&kReduceComplex128, kPlain, 16}
                     : Arithmetic{&kReduceWide, kDouble, 8};
    default:
      return {size == 8 ? &kReduceWide : &kReduceNarrow, is_signed_index(kind) ? kSigned : kPlain,
              size};
  }
}

struct ReduceParameters {
  uint32_t total, width, table_first, rows_first, done, limit, stops, op, kind, size_log;
};

struct WidenParameters {
  uint32_t total, halves_first, format;
};

class Reducer {
 public:
  Reducer(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands, Resolver& resolver,
          const Arithmetic& arithmetic, uint64_t window_rows)
      : gpu_(gpu),
        memory_(memory),
        plan_(plan),
        operands_(operands),
        resolver_(resolver),
        arithmetic_(arithmetic),
        sorter_(gpu, memory, longest(resolver.chunks()), window_rows),
        more_(memory.take(kViewAlignment)) {}

  void reduce(const Window& window) {
    const uint64_t row_bytes = resolver_.geometry().row_bytes;
    const uint64_t bytes = window.rows * window.row_bytes;
    if (bytes == 0) return;
    const Place place_of_table =
        place(operands_.table, Format::kWord, window.first_row * row_bytes + window.first_byte,
              bytes, arithmetic_.size);
    if (!arithmetic_.halves) return reduce_chunks(window, place_of_table);
    const WidenParameters parameters = {static_cast<uint32_t>(bytes / 2), place_of_table.first,
                                        arithmetic_.kind};
    const uint64_t groups = groups_for(groups_for(place_of_table.first + bytes / 2, 2));
    const BufferPtr floats = memory_.take(bytes * 2);
    const View wide = {floats.get(), Format::kWord, 0, bytes * 2};
    run(gpu_, kWiden, parameters, {place_of_table.view}, {wide}, groups);
    reduce_chunks(window, {wide, 0});
    run(gpu_, kNarrow, parameters, {wide}, {place_of_table.view}, groups);
  }

 private:
  static uint64_t longest(const std::vector<Chunk>& chunks) {
    uint64_t result = 0;
    for (const Chunk& chunk : chunks) result = std::max<uint64_t>(result, chunk.count);
    return result;
  }

  void reduce_chunks(const Window& window, const Place& table) {
    for (size_t c = 0; c < resolver_.chunks().size(); ++c) {
      const Chunk& chunk = resolver_.chunks()[c];
      resolver_.resolve(c, window);
      sorter_.sort(resolver_.slots(c), chunk.count, window.rows);
      reduce_runs(window, chunk, table);
    }
  }

  // A run that is longer than a dispatch may take goes on in the next.
  void reduce_runs(const Window& window, const Chunk& chunk, const Place& table) {
    constexpr int kPassesBetweenLooks = 8;
    const uint64_t limit = limits().run;
    const View more = {more_.get(), Format::kAtomic, 0, kViewAlignment};
    clear(gpu_, more_, kViewAlignment, kNone);
    run_pass(window, chunk, table, more, 0);
    for (uint64_t done = limit; done < chunk.count;) {
      uint32_t goes_on = kNone;
      memory_.download(*more_, 0, sizeof goes_on, &goes_on);
      if (goes_on == kNone) return;
      clear(gpu_, more_, kViewAlignment, kNone);
      for (int i = 0; i < kPassesBetweenLooks && done < chunk.count; ++i, done += limit) {
        if (i + 1 == kPassesBetweenLooks) clear(gpu_, more_, kViewAlignment, kNone);
        run_pass(window, chunk, table, more, done);
      }
    }
  }

  void run_pass(const Window& window, const Chunk& chunk, const Place& table, const View& more,
                uint64_t done) {
    const uint64_t row_bytes = resolver_.geometry().row_bytes;
    const uint64_t total = window.rows * window.row_bytes / arithmetic_.size;
    const Place rows =
        place(operands_.rows, Format::kWord, chunk.first * row_bytes + window.first_byte,
              chunk.count * window.row_bytes, arithmetic_.size);
    const View status = {resolver_.status().get(), Format::kWord, 0,
                         std::max<uint64_t>(resolver_.status_words() * 4, 16)};
    const ReduceParameters parameters = {
        .total = static_cast<uint32_t>(total),
        .width = static_cast<uint32_t>(window.row_bytes / arithmetic_.size),
        .table_first = table.first,
        .rows_first = rows.first,
        .done = static_cast<uint32_t>(done),
        .limit = static_cast<uint32_t>(limits().run),
        .stops = resolver_.bad_words(),
        .op = static_cast<uint32_t>(plan_.reduction),
        .kind = arithmetic_.kind,
        .size_log = static_cast<uint32_t>(std::countr_zero(arithmetic_.size)),
    };
    // reduce_narrow has a thread for each word.
    const bool narrow = arithmetic_.shader == &kReduceNarrow;
    const uint64_t threads = narrow ? groups_for(table.first + total, 4 / arithmetic_.size) : total;
    run(gpu_, *arithmetic_.shader, parameters,
        {rows.view, sorter_.pairs(), sorter_.starts(), sorter_.ends(), status}, {table.view, more},
        groups_for(threads));
  }

  Gpu& gpu_;
  Memory& memory_;
  const Plan& plan_;
  const Operands& operands_;
  Resolver& resolver_;
  Arithmetic arithmetic_;
  Sorter sorter_;
  BufferPtr more_;
};

}  // namespace

Resolver reduce(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands) {
  const Geometry g = make_geometry(plan);
  const Arithmetic arithmetic =
      arithmetic_for(plan.dtype.kind, plan.reduction, static_cast<uint32_t>(plan.dtype.size));
  const uint64_t view_bytes = limits().view_words * 4;
  Resolver resolver(gpu, memory, plan, operands.indices, make_chunks(g, view_bytes));
  const auto windows = make_windows(g, arithmetic.halves ? view_bytes / 2 : view_bytes);
  // All bad tuples are known before the table changes, and where there is none to change.
  if (resolver.chunks().size() > 1 || windows.front().rows == 0) {
    for (size_t c = 0; c < resolver.chunks().size(); ++c) resolver.resolve(c, windows.front());
  }
  uint64_t most_rows = 0;
  for (const Window& window : windows) most_rows = std::max<uint64_t>(most_rows, window.rows);
  Reducer reducer(gpu, memory, plan, operands, resolver, arithmetic, most_rows);
  for (const Window& window : windows) reducer.reduce(window);
  return resolver;
}

}  // namespace gathernd::d3d12
