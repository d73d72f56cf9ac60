#include <algorithm>

#include "core/overlap.hpp"
#include "cpu/common/tuning.hpp"
#include "cpu/resolve/resolve.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/settings.hpp"

namespace gathernd {
namespace {

// Resolves tile after tile into place(first, room), on all threads.
template <class O, class F>
void resolve_tiles(const Plan& plan, const Indices& indices, F place) {
  if (plan.tuples == 0) return;
  const Resolver<O> resolver(plan, indices);
  FirstBad first_bad;
  const int64_t grain = tuning().resolve_grains * grain_for(plan.index_type.size * plan.depth);
  parallel_for(plan.tuples, grain, kTile, [&](int64_t begin, int64_t end) {
    O room[kTile];
    for (int64_t first = begin; first < end; first += kTile) {
      const int64_t n = std::min(kTile, end - first);
      if (!resolver.resolve(first, n, place(first, room), &first_bad)) return;
    }
  });
  first_bad.throw_if_any(plan);
}

}  // namespace

bool may_write_unchecked(const Plan& plan, const Indices& indices, const Tensor& output,
                         bool fresh) {
  if (fresh) return true;
  const bool can_fail = plan.mode == Mode::kRaise ||
                        (!leaves_holes(plan.mode) && std::ranges::count(plan.dims, 0) != 0);
  const auto overlaps = [&](const Tensor& tensor) { return may_overlap(tensor, output); };
  return !can_fail && !overlaps(indices.tuples()) &&
         std::ranges::none_of(indices.components(), overlaps);
}

template <class O>
void resolve_all(const Plan& plan, const Indices& indices, O* offsets) {
  resolve_tiles<O>(plan, indices, [=](int64_t first, O*) { return offsets + first; });
}

template <class O>
void check_all(const Plan& plan, const Indices& indices) {
  if (plan.depth == 0 || plan.tuples == 0) return;
  resolve_tiles<O>(plan, indices, [](int64_t, O* room) { return room; });
}

template void resolve_all<uint32_t>(const Plan&, const Indices&, uint32_t*);
template void resolve_all<uint64_t>(const Plan&, const Indices&, uint64_t*);
template void check_all<uint32_t>(const Plan&, const Indices&);
template void check_all<uint64_t>(const Plan&, const Indices&);

}  // namespace gathernd
