#include "cpu/scatter_early.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "cpu/buffer.hpp"
#include "cpu/cut_table.hpp"
#include "cpu/reduce_sorted.hpp"
#include "cpu/resolve.hpp"
#include "cpu/run_parts.hpp"
#include "cpu/scatter_mover.hpp"
#include "cpu/slices.hpp"
#include "cpu/write_parts.hpp"

namespace gathernd {
namespace {

// The tuples, resolved block by block by the threads that need them. No thread waits for another.
template <class O>
class SharedTuples {
 public:
  SharedTuples(const Plan& plan, const Resolver<O>& resolver, FirstBad* first_bad)
      : resolver_(resolver),
        first_bad_(first_bad),
        tuples_(plan.tuples),
        block_(grain() > 0 ? 4 : 4 * kBlock<O>),
        offsets_(static_cast<size_t>(tuples_)),
        resolved_(static_cast<size_t>((tuples_ + block_ - 1) / block_)) {}

  int64_t blocks() const { return static_cast<int64_t>(resolved_.size()); }
  int64_t begin(int64_t block) const { return block * block_; }
  int64_t end(int64_t block) const { return std::min(tuples_, begin(block) + block_); }

  // The offsets of all tuples, of which those of the block are there. Null where another thread is
  // still at it and no other block is left to resolve, and where one had a bad tuple.
  const O* find(int64_t block) {
    std::atomic<bool>& resolved = resolved_[static_cast<size_t>(block)];
    while (!resolved.load(std::memory_order_acquire)) {
      if (next_ >= blocks()) return nullptr;
      const int64_t mine = next_++;
      if (mine < blocks() && !resolve(mine)) return nullptr;
    }
    return offsets_.data();
  }

 private:
  bool resolve(int64_t block) {
    const int64_t first = begin(block);
    O* const offsets = offsets_.data() + first;
    if (!resolver_.resolve(first, end(block) - first, offsets, first_bad_)) return false;
    resolved_[static_cast<size_t>(block)].store(true, std::memory_order_release);
    return true;
  }

  const Resolver<O>& resolver_;
  FirstBad* first_bad_;
  int64_t tuples_, block_;
  Buffer<O> offsets_;
  std::vector<std::atomic<bool>> resolved_;
  std::atomic<int64_t> next_ = 0;  // block that nobody has begun
};

// Where the parts of the table begin. A bad tuple, which is reported later, counts as the first.
template <class O>
std::vector<O> find_cuts(const Plan& plan, const Resolver<O>& resolver, int64_t parts) {
  return cut_table(plan, take_sample<O>(plan, parts, [&](int64_t t) {
                     O offset;
                     BadTuple bad;
                     return resolver.resolve(t, 1, &offset, &bad) ? offset : O{0};
                   }));
}

}  // namespace

bool overlaps_resolving(const Plan& plan) {
  // Views of one tuple can have more than memory has room for: they are refused for lack of it, in
  // place of a call without an end.
  constexpr int64_t kMost = UINT32_MAX;
  return plan.tuples <= kMost && plan.duplicates != Duplicates::kFirst &&
         plan.duplicates != Duplicates::kError && plan.tuples > 0 && !needs_sorting(plan) &&
         count_columns(plan) == 1 && count_parts_of(plan) < many_parts();
}

template <class O>
void scatter_early(const Plan& plan, const Tensor& indices, FunctionRef<void()> ready,
                   std::byte* table, const std::byte* rows) {
  const Resolver<O> resolver(plan, indices.data);
  const ScatterMover<O> mover(plan, table, rows, {plan.slice});
  FirstBad first_bad;
  const auto resolve_and_write = [&](int64_t begin, int64_t end, O low, O high) {
    resolver.for_each_block(begin, end, &first_bad,
                            [&](int64_t first, int64_t n, const O* offsets) {
                              mover.move_block(first, offsets, n, low, high);
                            });
  };
  const int64_t parts = count_parts_of(plan);
  if (parts == 1) {
    ready();
    run_parts(plan, 1,
              [&](int64_t) { resolve_and_write(0, plan.tuples, 0, static_cast<O>(plan.span)); });
    return first_bad.throw_if_any(plan);
  }
  const std::vector<O> cuts = find_cuts(plan, resolver, parts);
  SharedTuples<O> tuples(plan, resolver, &first_bad);
  ready();
  run_parts(plan, parts, [&](int64_t p) {
    const O low = cuts[static_cast<size_t>(p)], high = cuts[static_cast<size_t>(p) + 1];
    for (int64_t block = 0; block < tuples.blocks(); ++block) {
      const int64_t begin = tuples.begin(block), end = tuples.end(block);
      const O* offsets = tuples.find(block);
      if (offsets != nullptr) {
        mover.move(begin, end, offsets, low, high);
      } else {
        resolve_and_write(begin, end, low, high);
      }
    }
  });
  first_bad.throw_if_any(plan);
}

template void scatter_early<uint32_t>(const Plan&, const Tensor&, FunctionRef<void()>, std::byte*,
                                      const std::byte*);
template void scatter_early<uint64_t>(const Plan&, const Tensor&, FunctionRef<void()>, std::byte*,
                                      const std::byte*);

}  // namespace gathernd
