#include "cpu/reduce_sorted.hpp"

#include <algorithm>
#include <vector>

#include "cpu/float_environment.hpp"
#include "cpu/parallel_for.hpp"
#include "cpu/settings.hpp"
#include "cpu/slices.hpp"
#include "layout.hpp"

namespace gathernd {
namespace {

// The runs of a batch of tuples as the kernels take them. A run is never cut, whatever its length:
// its sum is rounded once.
template <class O>
class Batch {
 public:
  Batch(const Plan& plan, const Slice& slice) : plan_(plan), slice_(slice) {}

  // Takes whole runs from the front; returns how many tuples that is.
  size_t take(const OrderedTuples<O>& tuples) {
    runs_.clear();
    row_offsets_.clear();
    size_t taken = 0;
    for (; taken < tuples.n; ++taken) {
      const O offset = tuples.offsets[taken];
      if (taken == 0 || offset != tuples.offsets[taken - 1]) {
        if (taken >= static_cast<size_t>(kTile)) break;
        runs_.push_back({static_cast<int64_t>(offset) * plan_.scale, 0});
      }
      ++runs_.back().n;
      row_offsets_.push_back(row_offset(static_cast<int64_t>(tuples.positions[taken])));
    }
    return taken;
  }

  RunTile tile(std::byte* table, const std::byte* rows) const {
    return {table,
            runs_.data(),
            runs_.size(),
            rows,
            row_offsets_.data(),
            row_offsets_.size(),
            static_cast<size_t>(slice_.chunk)};
  }

 private:
  int64_t row_offset(int64_t position) const {
    const Walk& walk = plan_.row_walk;
    if (walk.size.size() <= 1) return walk.size.empty() ? 0 : position * walk.stride[0];
    int64_t result = 0;
    for_each_run(walk, position, 1, [&](int64_t offset, int64_t, int64_t) { result = offset; });
    return result;
  }

  const Plan& plan_;
  const Slice& slice_;
  std::vector<Run> runs_;
  std::vector<int64_t> row_offsets_;
};

}  // namespace

bool needs_sorting(const Plan& plan) {
  const bool half = plan.dtype.kind == Kind::kFloat16 || plan.dtype.kind == Kind::kBFloat16;
  const bool sums = plan.reduction == Reduction::kAdd || plan.reduction == Reduction::kSub ||
                    plan.reduction == Reduction::kMul;
  return half && sums;
}

template <class O>
void reduce_sorted(const Plan& plan, const Order<O>& order, std::byte* table,
                   const std::byte* rows) {
  constexpr int64_t kRangesPerThread = 8;
  const auto reduce = kernels().reduce_runs(plan.dtype.kind, plan.reduction);
  const auto run = [&](const SlicePart& part, OrderedTuples<O> tuples) {
    const DefaultFloatEnvironment environment;
    Batch<O> batch(plan, part.slice);
    while (tuples.n > 0) {
      const size_t taken = batch.take(tuples);
      tuples = tuples.range(taken, tuples.n - taken);
      for_each_chunk(part.slice, [&](int64_t table_offset, int64_t row_offset) {
        reduce(batch.tile(table + plan.bias + part.table_offset + table_offset,
                          rows + part.row_offset + row_offset));
      });
    }
  };
  if (const int64_t columns = count_columns(plan); columns > 1) {
    return parallel_parts(columns, [&](int64_t p) {
      run(cut_slice(plan.slice, plan.dtype.size, p, columns), order.tuples());
    });
  }
  const int64_t parts =
      count_parts(plan.tuples, grain_for(plan.slice.bytes), kRangesPerThread * num_threads());
  parallel_parts(parts, [&](int64_t p) { run({plan.slice}, order.part(p, parts)); });
}

template void reduce_sorted(const Plan&, const Order<uint32_t>&, std::byte*, const std::byte*);
template void reduce_sorted(const Plan&, const Order<uint64_t>&, std::byte*, const std::byte*);

}  // namespace gathernd
