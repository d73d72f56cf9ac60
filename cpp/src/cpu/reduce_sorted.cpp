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

// Rows that follow no single stride: their byte offsets take the place of the positions.
template <class O>
std::vector<Destination<uint64_t>> locate_rows(const Plan& plan,
                                               std::span<const Destination<O>> sorted) {
  std::vector<Destination<uint64_t>> located;
  located.reserve(sorted.size());
  for (const Destination<O>& tuple : sorted) {
    for_each_run(plan.row_walk, static_cast<int64_t>(tuple.position), 1,
                 [&](int64_t offset, int64_t, int64_t) {
                   located.push_back({uint64_t{tuple.offset}, static_cast<uint64_t>(offset)});
                 });
  }
  return located;
}

template <class O>
void reduce_linear(const Plan& plan, std::span<const Destination<O>> sorted, std::byte* table,
                   const std::byte* rows, int64_t row_stride) {
  const auto reduce = kernels_of<O>(kernels()).reduce_runs(plan.dtype.kind, plan.reduction);
  const auto n = static_cast<int64_t>(sorted.size());
  // A run belongs to the range that holds its first tuple.
  const auto first_run_from = [&](int64_t i) {
    const auto offset = [&](int64_t t) { return sorted[static_cast<size_t>(t)].offset; };
    while (i > 0 && i < n && offset(i) == offset(i - 1)) ++i;
    return i;
  };
  parallel_for(n, grain_for(plan.slice.bytes), 1, [&](int64_t begin, int64_t end) {
    const DefaultFloatEnvironment environment;
    const int64_t from = first_run_from(begin), until = first_run_from(end);
    if (from >= until) return;
    for_each_chunk(plan.slice, [&](int64_t table_offset, int64_t row_offset) {
      reduce({table + table_offset, plan.scale, sorted.data() + from,
              static_cast<size_t>(until - from), rows + row_offset, row_stride,
              static_cast<size_t>(plan.slice.chunk)});
    });
  });
}

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
  const Walk& walk = plan.row_walk;
  table += plan.bias;
  if (walk.size.size() <= 1) {
    return reduce_linear(plan, sorted, table, rows, walk.size.empty() ? 0 : walk.stride[0]);
  }
  const auto located = locate_rows(plan, sorted);
  reduce_linear(plan, std::span<const Destination<uint64_t>>(located), table, rows, 1);
}

template void reduce_sorted(const Plan&, std::span<const Destination<uint32_t>>, std::byte*,
                            const std::byte*);
template void reduce_sorted(const Plan&, std::span<const Destination<uint64_t>>, std::byte*,
                            const std::byte*);

}  // namespace gathernd
