// Sums and products of float16 and bfloat16, one destination at a time, in float32 and rounded
// once. Compiled once per SIMD target.
#include "cpu/kernels/simd_targets.hpp"

#include "cpu/kernels/combine.hpp"
#include "cpu/kernels/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/reduce_runs_kernels.cpp"
#include "hwy/foreach_target.h"  // must come before what is compiled once a target

#include "hwy/highway.h"

#include "cpu/kernels/fetch-inl.h"
#include "cpu/kernels/halves-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {

// `n` updates of one slice.
template <class Op, class T>
HWY_INLINE void ReduceRun(std::byte* to, const std::byte* rows, const int64_t* row_offsets,
                          size_t n, size_t bytes) {
  if (bytes == sizeof(T)) {
    float sum = to_float(load<T>(to));
    for (size_t t = 0; t < n; ++t) sum = Op::apply(sum, to_float(load<T>(rows + row_offsets[t])));
    return store(narrowed(sum, T{}), to);
  }
  constexpr size_t kBlock = 64;  // elements
  float sums[kBlock];
  for (size_t begin = 0; begin < bytes; begin += kBlock * sizeof(T)) {
    const size_t count = HWY_MIN(kBlock, (bytes - begin) / sizeof(T));
    std::byte* block = to + begin;
    WidenHalves<T>(block, sums, count);
    for (size_t t = 0; t < n; ++t) {
      ReduceHalves<Op, T>(reinterpret_cast<std::byte*>(sums), rows + row_offsets[t] + begin, count);
    }
    RoundFloats<T>(sums, block, count);
  }
}

template <class Op, class T>
void ReduceRuns(const RunTile& tile) {
  constexpr size_t kAhead = 16;
  const bool spills = SpillOver(tile.rows, tile.bytes, static_cast<int64_t>(tile.bytes));
  size_t t = 0;
  for (size_t i = 0; i < tile.n; ++i) {
    const Run run = tile.runs[i];
    for (size_t a = t + kAhead; a < t + run.n + kAhead && a < tile.tuples; ++a) {
      PrefetchRow(tile.rows + tile.row_offsets[a], tile.bytes, spills, ForReading());
    }
    ReduceRun<Op, T>(tile.table + run.offset, tile.rows, tile.row_offsets + t, run.n, tile.bytes);
    t += run.n;
  }
}

template <class T>
ReduceRunsFn SelectOp(Reduction reduction) {
  switch (reduction) {
    case Reduction::kAdd:
      return ReduceRuns<Add, T>;
    case Reduction::kSub:
      return ReduceRuns<Sub, T>;
    case Reduction::kMul:
      return ReduceRuns<Mul, T>;
    default:
      return nullptr;
  }
}

ReduceRunsFn SelectRuns(Kind kind, Reduction reduction) {
  if (kind == Kind::kFloat16) return SelectOp<Half>(reduction);
  if (kind == Kind::kBFloat16) return SelectOp<BFloat16>(reduction);
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gathernd {

HWY_EXPORT(SelectRuns);

SelectReduceRuns reduce_runs_kernels(int64_t target) {
  return entry_of(HWY_DISPATCH_TABLE(SelectRuns), target);
}

}  // namespace gathernd
#endif  // HWY_ONCE
