#include "cpu/scatter/runs.hpp"

#include "core/layout.hpp"
#include "cpu/common/slices.hpp"
#include "cpu/kernels/targets.hpp"
#include "cpu/order/run_parts.hpp"
#include "runtime/settings.hpp"

namespace gathernd {
namespace {

// Where the rows of the tuples begin.
template <class O>
void find_rows(const Plan& plan, const OrderedTuples<O>& tuples, int64_t* row_offsets) {
  const auto n = static_cast<int64_t>(tuples.n);
  parallel_for(n, grain_for(sizeof(O)), 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      row_offsets[t] = offset_at(plan.row_walk, static_cast<int64_t>(tuples.positions[t]));
    }
  });
}

// Cuts `n` tuples into runs of one slice each. Returns how many there are, at most kTile. Even a
// long run is not cut, because its sum is rounded once.
template <class O>
size_t find_runs(const Plan& plan, const O* offsets, size_t n, Run* runs) {
  size_t count = 0;
  for (size_t t = 0; t < n; ++t) {
    if (t == 0 || offsets[t] != offsets[t - 1]) {
      if (count == static_cast<size_t>(kTile)) break;
      runs[count++] = {static_cast<int64_t>(offsets[t]) * plan.scale, 0};
    }
    ++runs[count - 1].n;
  }
  return count;
}

}  // namespace

template <class O>
Runs<O>::Runs(const Plan& plan, const Order<O>& order)
    : plan_(plan), order_(order), row_offsets_(order.tuples().n) {
  find_rows(plan, order.tuples(), row_offsets_.data());
}

template <class O>
void Runs<O>::write(int64_t parts, bool by_columns, std::byte* table, const std::byte* rows) const {
  const auto reduce = kernels().reduce_runs(plan_.dtype.kind, plan_.reduction);
  const OrderedTuples<O> all = order_.tuples();
  const auto run = [&](const SlicePart& part, OrderedTuples<O> tuples) {
    Run runs[kTile];
    while (tuples.n > 0) {
      const size_t count = find_runs(plan_, tuples.offsets, tuples.n, runs);
      size_t taken = 0;
      for (size_t i = 0; i < count; ++i) taken += runs[i].n;
      const int64_t* offsets = row_offsets_.data() + (tuples.offsets - all.offsets);
      for_each_chunk(part.slice, [&](int64_t table_offset, int64_t row_offset) {
        reduce({table + plan_.bias + part.table_offset + table_offset, runs, count,
                rows + part.row_offset + row_offset, offsets, taken,
                static_cast<size_t>(part.slice.chunk)});
      });
      tuples = tuples.range(taken, tuples.n - taken);
    }
  };
  run_parts(plan_, parts, [&](int64_t p) {
    if (by_columns) return run(cut_slice(plan_.slice, plan_.dtype.size, p, parts), all);
    run({plan_.slice}, order_.part(p, parts));
  });
}

template class Runs<uint32_t>;
template class Runs<uint64_t>;

}  // namespace gathernd
