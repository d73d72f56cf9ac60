#include "cpu/half_reduce.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/combine.hpp"
#include "cpu/half.hpp"
#include "cpu/order.hpp"
#include "cpu/parallel_for.hpp"
#include "cpu/settings.hpp"
#include "cpu/slices.hpp"
#include "layout.hpp"

namespace gathernd {
namespace {

constexpr size_t kBlock = 256;  // elements of a slice that are summed at a time

Half round_to(float value, Half) { return to_half(value); }
BFloat16 round_to(float value, BFloat16) { return to_bfloat16(value); }

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Where the row of a position begins, in bytes.
int64_t row_offset(const Walk& walk, int64_t position) {
  int64_t result = 0;
  for_each_run(walk, position, 1, [&](int64_t offset, int64_t, int64_t) { result = offset; });
  return result;
}

// One destination: table = table op rows[0] op rows[1] ..., for `elements` contiguous elements.
template <class T, class Op, class O>
void reduce_run(std::byte* table, const std::byte* rows, const Walk& walk,
                std::span<const Destination<O>> run, size_t elements) {
  for (size_t begin = 0; begin < elements; begin += kBlock) {
    const size_t n = std::min(kBlock, elements - begin);
    const size_t at = begin * sizeof(T);
    float sums[kBlock];
    for (size_t i = 0; i < n; ++i) sums[i] = to_float(load<T>(table + at + i * sizeof(T)));
    for (const auto& tuple : run) {
      const auto position = static_cast<int64_t>(tuple.position);
      const std::byte* row = rows + row_offset(walk, position) + at;
      for (size_t i = 0; i < n; ++i) {
        sums[i] = Op::apply(sums[i], to_float(load<T>(row + i * sizeof(T))));
      }
    }
    for (size_t i = 0; i < n; ++i) {
      const T rounded = round_to(sums[i], T{});
      std::memcpy(table + at + i * sizeof(T), &rounded, sizeof rounded);
    }
  }
}

template <class T, class Op, class O>
void reduce_sorted(const Plan& plan, const O* offsets, std::byte* table, const std::byte* rows) {
  const auto sorted = sort_by_destination(offsets, plan.tuples);
  const auto n = static_cast<int64_t>(sorted.size());
  const auto offset_at = [&](int64_t i) { return sorted[static_cast<size_t>(i)].offset; };
  // A run belongs to the range that holds its first tuple.
  parallel_for(n, grain_for(plan.slice.bytes), 1, [&](int64_t begin, int64_t end) {
    int64_t i = begin;
    while (i > 0 && i < end && offset_at(i) == offset_at(i - 1)) ++i;
    while (i < end) {
      int64_t j = i + 1;
      while (j < n && offset_at(j) == offset_at(i)) ++j;
      const std::span run(sorted.data() + i, static_cast<size_t>(j - i));
      std::byte* slice = table + (static_cast<size_t>(offset_at(i)) << plan.shift);
      for_each_chunk(plan.slice, [&](int64_t table_offset, int64_t chunk_offset) {
        reduce_run<T, Op, O>(slice + table_offset, rows + chunk_offset, plan.row_walk, run,
                             static_cast<size_t>(plan.slice.chunk) / sizeof(T));
      });
      i = j;
    }
  });
}

template <class T, class O>
void reduce_type(const Plan& plan, const O* offsets, std::byte* table, const std::byte* rows) {
  switch (plan.reduction) {
    case Reduction::kAdd:
      return reduce_sorted<T, Add>(plan, offsets, table, rows);
    case Reduction::kSub:
      return reduce_sorted<T, Sub>(plan, offsets, table, rows);
    default:
      return reduce_sorted<T, Mul>(plan, offsets, table, rows);
  }
}

}  // namespace

bool accumulates_in_float(const Plan& plan) {
  const bool half = plan.dtype.kind == Kind::kFloat16 || plan.dtype.kind == Kind::kBFloat16;
  const bool sums = plan.reduction == Reduction::kAdd || plan.reduction == Reduction::kSub ||
                    plan.reduction == Reduction::kMul;
  return half && sums;
}

template <class O>
void reduce_half(const Plan& plan, const O* offsets, std::byte* table, const std::byte* rows) {
  if (plan.dtype.kind == Kind::kFloat16) {
    reduce_type<Half>(plan, offsets, table, rows);
  } else {
    reduce_type<BFloat16>(plan, offsets, table, rows);
  }
}

template void reduce_half(const Plan&, const uint32_t*, std::byte*, const std::byte*);
template void reduce_half(const Plan&, const uint64_t*, std::byte*, const std::byte*);

}  // namespace gathernd
