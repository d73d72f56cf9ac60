#include "cpu/scatter/reduce_sorted.hpp"

#include "core/layout.hpp"
#include "cpu/common/slices.hpp"
#include "cpu/kernels/targets.hpp"
#include "cpu/order/run_parts.hpp"
#include "runtime/buffer.hpp"
#include "runtime/settings.hpp"

namespace gathernd {
namespace {

// Where the rows of the tuples begin.
template <class O>
void find_rows(const Plan& plan, const OrderedTuples<O>& tuples, int64_t* row_offsets) {
  const Walk& walk = plan.row_walk;
  const auto row_of = [&](int64_t position) {
    if (walk.size.size() <= 1) return walk.size.empty() ? 0 : position * walk.stride[0];
    int64_t result = 0;
    for_each_run(walk, position, 1, [&](int64_t offset, int64_t, int64_t) { result = offset; });
    return result;
  };
  const auto n = static_cast<int64_t>(tuples.n);
  parallel_for(n, grain_for(sizeof(O)), 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      row_offsets[t] = row_of(static_cast<int64_t>(tuples.positions[t]));
    }
  });
}

// Cuts `n` tuples into runs of one slice each, at most kTile of them; returns how many. A run is
// never cut, whatever its length: its sum is rounded once.
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

bool needs_sorting(const Plan& plan) {
  const bool half = plan.dtype.kind == Kind::kFloat16 || plan.dtype.kind == Kind::kBFloat16;
  const bool sums = plan.reduction == Reduction::kAdd || plan.reduction == Reduction::kSub ||
                    plan.reduction == Reduction::kMul;
  return half && sums;
}

template <class O>
void reduce_sorted(const Plan& plan, const Order<O>& order, FunctionRef<void()> ready,
                   std::byte* table, const std::byte* rows) {
  const auto reduce = kernels().reduce_runs(plan.dtype.kind, plan.reduction);
  const OrderedTuples<O> all = order.tuples();
  const Buffer<int64_t> row_offsets(all.n);
  find_rows(plan, all, row_offsets.data());
  const auto run = [&](const SlicePart& part, OrderedTuples<O> tuples) {
    Run runs[kTile];
    while (tuples.n > 0) {
      const size_t count = find_runs(plan, tuples.offsets, tuples.n, runs);
      size_t taken = 0;
      for (size_t i = 0; i < count; ++i) taken += runs[i].n;
      const int64_t* offsets = row_offsets.data() + (tuples.offsets - all.offsets);
      for_each_chunk(part.slice, [&](int64_t table_offset, int64_t row_offset) {
        reduce({table + plan.bias + part.table_offset + table_offset, runs, count,
                rows + part.row_offset + row_offset, offsets, taken,
                static_cast<size_t>(part.slice.chunk)});
      });
      tuples = tuples.range(taken, tuples.n - taken);
    }
  };
  ready();
  if (const int64_t columns = count_columns(plan); columns > 1) {
    return run_parts(plan, columns, [&](int64_t p) {
      run(cut_slice(plan.slice, plan.dtype.size, p, columns), all);
    });
  }
  const int64_t parts = count_ranges_of(plan);
  run_parts(plan, parts, [&](int64_t p) { run({plan.slice}, order.part(p, parts)); });
}

template void reduce_sorted(const Plan&, const Order<uint32_t>&, FunctionRef<void()>, std::byte*,
                            const std::byte*);
template void reduce_sorted(const Plan&, const Order<uint64_t>&, FunctionRef<void()>, std::byte*,
                            const std::byte*);

}  // namespace gathernd
