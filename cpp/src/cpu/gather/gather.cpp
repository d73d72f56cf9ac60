#include "cpu/gather/gather.hpp"

#include <algorithm>

#include "cpu/common/caches.hpp"
#include "cpu/common/slices.hpp"
#include "cpu/common/tuning.hpp"
#include "cpu/gather/gather_mover.hpp"
#include "cpu/gather/strategy.hpp"
#include "cpu/resolve/resolve.hpp"
#include "runtime/buffer.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/settings.hpp"
#include "runtime/trace.hpp"

namespace gathernd {
namespace {

// Threads take whole tiles, or parts of one if slices are long.
int64_t step(const Plan& plan) {
  return std::clamp(tuning().gather_step_bytes / plan.slice.bytes, int64_t{1}, kTile);
}

int64_t grain_of(const Plan& plan) {
  return std::max<int64_t>(1, grain_for(plan.slice.bytes) / tuning().gather_grains);
}

// Resolves blocks of tuples and copies their slices to `rows`. Throws for a bad tuple; some slices
// may be copied by then.
template <class O>
void gather_blocks(const Plan& plan, const GatherStrategy& strategy, const Tensor& input,
                   const Indices& indices, std::byte* rows, const std::byte* fill_value) {
  const Resolver<O> resolver(plan, indices);
  const GatherMover<O> mover(plan, input.data, rows, fill_value, {plan.slice});
  const bool far = !is_near(plan);
  FirstBad first_bad;
  parallel_for(plan.tuples, grain_of(plan), step(plan), [&](int64_t begin, int64_t end) {
    if (strategy.is_fused && !first_bad.is_before(begin)) {
      begin += resolver.gather_short(begin, end - begin,
                                     {input.data + plan.bias, far, rows + begin * plan.scale,
                                      static_cast<size_t>(plan.slice.bytes)});
    }
    resolver.for_each_block(
        begin, end, &first_bad,
        [&](int64_t first, int64_t n, const O* offsets) { mover.move(first, n, offsets); });
  });
  first_bad.throw_if_any(plan);
}

template <class O>
void gather_rows(const Plan& plan, const Tensor& input, const O* offsets, const Tensor& output,
                 const std::byte* fill_value) {
  const GatherMover<O> mover(plan, input.data, output.data, fill_value, {plan.slice});
  parallel_for(plan.tuples, grain_of(plan), step(plan), [&](int64_t begin, int64_t end) {
    mover.move(begin, end - begin, offsets + begin);
  });
}

template <class O>
void gather_columns(const Plan& plan, int64_t parts, const Tensor& input, const O* offsets,
                    const Tensor& output, const std::byte* fill_value) {
  parallel_parts(parts, [&](int64_t p) {
    const SlicePart part = cut_slice(plan.slice, plan.dtype.size, p, parts);
    GatherMover<O>(plan, input.data, output.data, fill_value, part).move(0, plan.tuples, offsets);
  });
}

}  // namespace

template <class O>
void gather(const Plan& plan, const Tensor& input, const Indices& indices, const Tensor& output,
            const std::byte* fill_value, bool fresh) {
  const bool unchecked = may_write_unchecked(plan, indices, output, fresh);
  const GatherStrategy strategy = choose_gather(plan, {.may_write_unchecked = unchecked});
  Trace::record("gather", strategy);
  if (strategy.way == GatherWay::kCheck) return check_all<O>(plan, indices);
  if (strategy.way == GatherWay::kBlocks) {
    return gather_blocks<O>(plan, strategy, input, indices, output.data, fill_value);
  }
  if (strategy.way == GatherWay::kKeptRows) {
    const Buffer<std::byte> memory(static_cast<size_t>(plan.tuples * plan.slice.bytes));
    gather_blocks<O>(plan, strategy, input, indices, memory.data(), fill_value);
    Tensor rows = output;
    rows.data = memory.data();
    return copy_tensor(rows, output);
  }
  const Buffer<O> offsets(static_cast<size_t>(plan.tuples));
  resolve_all(plan, indices, offsets.data());
  if (strategy.way == GatherWay::kColumns) {
    return gather_columns(plan, strategy.parts, input, offsets.data(), output, fill_value);
  }
  gather_rows(plan, input, offsets.data(), output, fill_value);
}

template <class O>
void gather_resolved(const Plan& plan, const Tensor& input, const O* offsets, const Tensor& output,
                     const std::byte* fill_value) {
  const GatherStrategy strategy = choose_gather(plan, {.is_resolved = true});
  Trace::record("gather", strategy);
  if (strategy.way == GatherWay::kCheck) return;
  if (strategy.way == GatherWay::kColumns) {
    return gather_columns(plan, strategy.parts, input, offsets, output, fill_value);
  }
  gather_rows(plan, input, offsets, output, fill_value);
}

template void gather<uint32_t>(const Plan&, const Tensor&, const Indices&, const Tensor&,
                               const std::byte*, bool);
template void gather<uint64_t>(const Plan&, const Tensor&, const Indices&, const Tensor&,
                               const std::byte*, bool);
template void gather_resolved(const Plan&, const Tensor&, const uint32_t*, const Tensor&,
                              const std::byte*);
template void gather_resolved(const Plan&, const Tensor&, const uint64_t*, const Tensor&,
                              const std::byte*);

}  // namespace gathernd
