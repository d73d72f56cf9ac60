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
  explicit Batch(const Plan& plan) : plan_(plan) {}

  // Takes whole runs from the front of `sorted`; returns how many tuples that is.
  size_t take(std::span<const Destination<O>> sorted) {
    runs_.clear();
    row_offsets_.clear();
    size_t taken = 0;
    for (; taken < sorted.size(); ++taken) {
      const Destination<O>& tuple = sorted[taken];
      if (taken == 0 || tuple.offset != sorted[taken - 1].offset) {
        if (taken >= static_cast<size_t>(kTile)) break;
        runs_.push_back({static_cast<int64_t>(tuple.offset) * plan_.scale, 0});
      }
      ++runs_.back().n;
      row_offsets_.push_back(row_offset(static_cast<int64_t>(tuple.position)));
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
            static_cast<size_t>(plan_.slice.chunk)};
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
void reduce_sorted(const Plan& plan, std::span<const Destination<O>> sorted, std::byte* table,
                   const std::byte* rows) {
  const auto reduce = kernels().reduce_runs(plan.dtype.kind, plan.reduction);
  const auto n = static_cast<int64_t>(sorted.size());
  // A run belongs to the range that holds its first tuple.
  const auto first_run_from = [&](int64_t i) {
    const auto offset = [&](int64_t t) { return sorted[static_cast<size_t>(t)].offset; };
    while (i > 0 && i < n && offset(i) == offset(i - 1)) ++i;
    return i;
  };
  parallel_for(n, grain_for(plan.slice.bytes), 1, [&](int64_t begin, int64_t end) {
    const DefaultFloatEnvironment environment;
    const int64_t from = first_run_from(begin), until = std::max(from, first_run_from(end));
    auto left = sorted.subspan(static_cast<size_t>(from), static_cast<size_t>(until - from));
    Batch<O> batch(plan);
    while (!left.empty()) {
      left = left.subspan(batch.take(left));
      for_each_chunk(plan.slice, [&](int64_t table_offset, int64_t row_offset) {
        reduce(batch.tile(table + plan.bias + table_offset, rows + row_offset));
      });
    }
  });
}

template void reduce_sorted(const Plan&, std::span<const Destination<uint32_t>>, std::byte*,
                            const std::byte*);
template void reduce_sorted(const Plan&, std::span<const Destination<uint64_t>>, std::byte*,
                            const std::byte*);

}  // namespace gathernd
