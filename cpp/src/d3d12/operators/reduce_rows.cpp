#include "d3d12/operators/reduce_rows.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "d3d12/operators/reduce_memory.hpp"

namespace gathernd::d3d12 {
namespace {

uint32_t threads_of_row(uint64_t row_bytes, uint32_t width) {
  return row_bytes < tuning().shared_row ? width : static_cast<uint32_t>(groups_for(width, 2));
}

}  // namespace

RowReducer::RowReducer(Gpu& gpu, const Operands& operands, Resolver& resolver,
                       const Arithmetic& arithmetic, uint64_t run, bool at_once, BufferPtr longs)
    : gpu_(gpu),
      operands_(operands),
      resolver_(resolver),
      arithmetic_(arithmetic),
      run_(run),
      at_once_(at_once),
      longs_(std::move(longs)) {}

SubView RowReducer::rows_view(const Pass& pass) const {
  const Window& window = pass.window;
  return sub_view(operands_.rows, arithmetic_.format,
                  pass.chunk.first * resolver_.geometry().row_bytes + window.first_byte,
                  pass.chunk.count * window.row_bytes, arithmetic_.row_unit);
}

ReduceParameters RowReducer::make_parameters(const Pass& pass, const SubView& rows) const {
  const uint64_t row_bytes = pass.window.row_bytes;
  const auto width = static_cast<uint32_t>(row_bytes / arithmetic_.row_unit);
  const uint32_t share = threads_of_row(row_bytes, width);
  ReduceParameters parameters = arithmetic_.parameters;
  parameters.total = pass.window.rows * share;
  parameters.width = width;
  parameters.table_first = pass.table.first;
  parameters.rows_first = rows.first;
  parameters.end = pass.window.rows * width;
  parameters.stops = pass.stops;
  parameters.counter = pass.counter;
  parameters.limit = static_cast<uint32_t>(run_);
  parameters.columns = 1;
  parameters.share = share;
  return parameters;
}

void RowReducer::reduce(const Pass& pass, const View& slots, const SlotOrder& order) {
  run_reduce(*arithmetic_.shaders.reduce, pass,
             {slots, order.starts, order.ends, order.tuples, order.ends_first, 0});
}

void RowReducer::reduce_lists(const Pass& pass, const View& slots, const SlotLists& lists) {
  const View& unread = slots;
  run_reduce(*arithmetic_.shaders.reduce_lists, pass,
             {slots, lists.heads, lists.nexts, unread, 0, lists.floor});
}

void RowReducer::run_reduce(const Shader& shader, const Pass& pass, const RowTuples& found) {
  const SubView rows = rows_view(pass);
  ReduceParameters parameters = make_parameters(pass, rows);
  parameters.copies = pass.copies;
  parameters.ends_first = found.ends_first;
  parameters.floor = found.floor;
  if (pass.by_tuple) {
    parameters.sparse_rows = pass.window.rows;
    parameters.total =
        pass.chunk.count * (arithmetic_.unit < 4 ? parameters.width : parameters.share);
  } else if (arithmetic_.unit < 4) {
    parameters.total =
        static_cast<uint32_t>(groups_for(pass.table.first + parameters.end, 4 / arithmetic_.unit));
  }
  View source = rows.view;  // not read
  if (pass.copies) {
    source = pass.table.view;
    source.buffer = operands_.source.get();
  }
  View words = pass.table.view;
  words.format = word_format();
  run(gpu_, shader, parameters,
      {rows.view, found.slots, found.heads, found.nexts, source, found.tuples},
      {pass.table.view, resolver_.status_view(), whole(longs_, Format::kAtomic), words},
      groups_for(parameters.total), reduce_cost(pass, parameters));
}

// Each thread looks for tuples, and each tuple is found once.
Cost RowReducer::reduce_cost(const Pass& pass, const ReduceParameters& parameters) const {
  const double looks = arithmetic_.unit < 4 && !pass.by_tuple ? 4.0 / arithmetic_.unit : 1;
  constexpr double kLanes = 4;  // at least as many run at a time
  const double update = arithmetic_.step / kLanes + costs::kListed;
  const auto found = std::min<uint64_t>(pass.chunk.count, uint64_t{pass.window.rows} * kLong);
  const double all = parameters.total * looks * costs::kRow +
                     static_cast<double>(found) * parameters.width * update;
  const double longest = kGroupSize * looks * (costs::kRow + 2 * kLong * update);
  return {all / static_cast<double>(groups_for(parameters.total)), std::min(all, longest)};
}

uint32_t RowReducer::most_updates(double step) const {
  const uint64_t fit = gpu_.pace.steps_within(tuning().submission / 2, step);
  return static_cast<uint32_t>(at_once_ ? run_ : std::min(run_, fit));
}

uint32_t RowReducer::find_longest(const Pass& pass, const SlotOrder& order, uint32_t runs) {
  const uint32_t longest_at = pass.counter + 1;
  run(gpu_, shaders::longest, LongestParameters{runs, order.ends_first, longest_at},
      {order.starts, order.ends}, {resolver_.status_view()}, groups_for(runs));
  return kNone - resolver_.read_status()[longest_at];
}

void RowReducer::reduce_long(const Pass& pass, const SlotOrder& order, uint32_t most, bool ranked) {
  const uint64_t longs = std::min<uint64_t>(most, most_long_rows(pass.chunk, pass.window));
  if (longs == 0) return;
  const SubView rows = rows_view(pass);
  ReduceParameters parameters = make_parameters(pass, rows);
  parameters.ends_first = order.ends_first;
  parameters.ranked = ranked;
  parameters.columns = std::bit_floor(std::min(kColumns, parameters.width));
  const auto blocks = [&] { return groups_for(parameters.width, parameters.columns); };
  while (parameters.columns > 1 && longs * blocks() < tuning().busy_groups) parameters.columns /= 2;
  const uint64_t work = longs * blocks();
  // Of sums that are rounded once no group has two blocks of a row: all updates fit one dispatch.
  const uint64_t enough =
      std::max({tuning().long_groups, groups_for(work, tuning().long_rows_per_group),
                at_once_ ? blocks() : 0});
  parameters.total = static_cast<uint32_t>(std::min(enough, work));
  const double step = arithmetic_.step * parameters.columns;
  View words = pass.table.view;
  words.format = word_format();
  View status = resolver_.status_view();
  status.format = Format::kWord;
  parameters.limit = most_updates(step);
  // All updates may belong to one row, and a group may have several blocks of that row.
  uint64_t updates = pass.chunk.count * groups_for(blocks(), parameters.total);
  if (updates > tuning().unasked_dispatches * parameters.limit) {
    const uint64_t longest = find_longest(pass, order, ranked ? most : pass.window.rows);
    updates = std::min(updates, longest * groups_for(work, parameters.total));
  }
  const double all = static_cast<double>(pass.chunk.count) * static_cast<double>(blocks());
  for (uint64_t done = 0; done < updates; done += parameters.limit) {
    parameters.done = static_cast<uint32_t>(done);
    parameters.limit = most_updates(step);
    const auto longest = static_cast<double>(std::min<uint64_t>(parameters.limit, updates));
    const double group = std::min(all / parameters.total, longest);
    run(gpu_, *arithmetic_.shaders.reduce_long, parameters,
        {rows.view, order.tuples, order.starts, order.ends, whole(longs_, Format::kWord), status},
        {words}, parameters.total, {group * step, longest * step});
  }
}

}  // namespace gathernd::d3d12
