#include "cpu/gather/gather.hpp"

#include <algorithm>

#include "cpu/common/caches.hpp"
#include "cpu/common/slices.hpp"
#include "cpu/gather/gather_mover.hpp"
#include "cpu/resolve/resolve.hpp"
#include "runtime/buffer.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/settings.hpp"

namespace gathernd {
namespace {

// Whether short rows can be moved as their tuples are resolved.
bool is_fused(const Plan& plan) { return has_short_rows(plan) && plan.mode != Mode::kFill; }

// Whether the rows are kept until all tuples are known, which take less memory than their offsets.
// Of few, to copy them costs more.
template <class O>
bool keeps_rows(const Plan& plan) {
  constexpr int64_t kFew = 2048;  // tuples
  return is_fused(plan) && plan.slice.bytes < int64_t{sizeof(O)} && plan.tuples > kFew;
}

// Threads take whole tiles, or parts of one where the slices are long.
int64_t step(const Plan& plan) {
  constexpr int64_t kBytes = 1 << 16;
  return std::clamp(kBytes / plan.slice.bytes, int64_t{1}, kTile);
}

// Few tuples with long slices: each thread takes a part of every slice.
bool by_columns(const Plan& plan) {
  return plan.tuples < int64_t{4} * num_threads() && plan.slice.bytes >= 1 << 16;
}

}  // namespace

template <class O>
void gather(const Plan& plan, const Tensor& input, const Indices& indices, const Tensor& output,
            const std::byte* fill_value, bool fresh) {
  if (plan.slice.bytes == 0) return check_all<O>(plan, indices);
  if (may_write_early(plan, indices, output, fresh) && !by_columns(plan)) {
    const Resolver<O> resolver(plan, indices);
    const GatherMover<O> mover(plan, input.data, output.data, fill_value, {plan.slice});
    const bool fused = is_fused(plan), far = !is_near(plan);
    FirstBad first_bad;
    parallel_for(
        plan.tuples, grain_for(plan.slice.bytes), step(plan), [&](int64_t begin, int64_t end) {
          if (fused && !first_bad.is_before(begin)) {
            begin += resolver.gather_short(
                begin, end - begin,
                {input.data + plan.bias, far, output.data + begin * plan.scale,
                 static_cast<size_t>(plan.slice.bytes)});
          }
          resolver.for_each_block(
              begin, end, &first_bad,
              [&](int64_t first, int64_t n, const O* offsets) { mover.move(first, n, offsets); });
        });
    return first_bad.throw_if_any(plan);
  }

  // Nothing may be written before every tuple is known to be good.
  if (keeps_rows<O>(plan)) {
    const Buffer<std::byte> memory(static_cast<size_t>(plan.tuples * plan.slice.bytes));
    Tensor rows = output;
    rows.data = memory.data();
    gather<O>(plan, input, indices, rows, fill_value, true);
    return copy_tensor(rows, output);
  }
  const Buffer<O> offsets(static_cast<size_t>(plan.tuples));
  resolve_all(plan, indices, offsets.data());
  gather_resolved(plan, input, offsets.data(), output, fill_value);
}

template <class O>
void gather_resolved(const Plan& plan, const Tensor& input, const O* offsets, const Tensor& output,
                     const std::byte* fill_value) {
  if (plan.slice.bytes == 0) return;
  if (by_columns(plan)) {
    const int64_t parts = num_threads();
    parallel_parts(parts, [&](int64_t p) {
      const SlicePart part = cut_slice(plan.slice, plan.dtype.size, p, parts);
      if (part.slice.bytes == 0) return;
      GatherMover<O>(plan, input.data, output.data, fill_value, part).move(0, plan.tuples, offsets);
    });
    return;
  }
  const GatherMover<O> mover(plan, input.data, output.data, fill_value, {plan.slice});
  parallel_for(
      plan.tuples, grain_for(plan.slice.bytes), step(plan),
      [&](int64_t begin, int64_t end) { mover.move(begin, end - begin, offsets + begin); });
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
