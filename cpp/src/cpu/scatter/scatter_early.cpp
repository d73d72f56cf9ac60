#include "cpu/scatter/scatter_early.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "cpu/common/slices.hpp"
#include "cpu/order/cut_table.hpp"
#include "cpu/order/run_parts.hpp"
#include "cpu/resolve/resolve.hpp"
#include "cpu/scatter/reduce_sorted.hpp"
#include "cpu/scatter/scatter_mover.hpp"
#include "cpu/scatter/write_parts.hpp"
#include "runtime/buffer.hpp"
#include "runtime/sleep.hpp"

namespace gathernd {
namespace {

// The tuples, resolved block by block by the threads that need them. Each block by one thread: what
// another thread of the caller makes of an index meanwhile, all parts of the table agree on it.
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

  // The offsets of all tuples, of which those of the block are there; null where a tuple is bad.
  // While another thread is at the block, this one resolves blocks that nobody has begun.
  const O* find(int64_t block) {
    const std::atomic<bool>& resolved = resolved_[static_cast<size_t>(block)];
    while (!resolved.load(std::memory_order_acquire)) {
      const int64_t mine = next_ < blocks() ? next_++ : blocks();
      if (mine < blocks()) {
        resolve(mine);
      } else {
        wait_for(resolved);
      }
      if (failed_) return nullptr;
    }
    return offsets_.data();
  }

 private:
  void resolve(int64_t block) {
    const int64_t first = begin(block);
    O* const offsets = offsets_.data() + first;
    if (resolver_.resolve(first, end(block) - first, offsets, first_bad_)) {
      resolved_[static_cast<size_t>(block)].store(true, std::memory_order_release);
    } else {
      failed_ = true;
    }
  }

  // A block takes some 20 us. Whom that does not satisfy waits for a thread without a processor.
  void wait_for(const std::atomic<bool>& resolved) const {
    constexpr auto kNap = std::chrono::microseconds(50);
    const auto ready = [&] { return resolved.load(std::memory_order_acquire) || failed_; };
    for (spin_until(ready); !ready();) std::this_thread::sleep_for(kNap);
  }

  const Resolver<O>& resolver_;
  FirstBad* first_bad_;
  int64_t tuples_, block_;
  Buffer<O> offsets_;
  std::vector<std::atomic<bool>> resolved_;
  std::atomic<int64_t> next_ = 0;  // block that nobody has begun
  std::atomic<bool> failed_ = false;
};

// Where the parts of the table begin: any cuts do. What is read here is not used again: a bad tuple
// counts as the first, and is reported if it is still bad when it is resolved.
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
void scatter_early(const Plan& plan, const Indices& indices, FunctionRef<void()> ready,
                   std::byte* table, const std::byte* rows) {
  const Resolver<O> resolver(plan, indices);
  const ScatterMover<O> mover(plan, table, rows, {plan.slice});
  FirstBad first_bad;
  const int64_t parts = count_parts_of(plan);
  if (parts == 1) {
    ready();
    run_parts(plan, 1, [&](int64_t) {
      resolver.for_each_block(0, plan.tuples, &first_bad,
                              [&](int64_t first, int64_t n, const O* offsets) {
                                mover.move_block(first, offsets, n, 0, static_cast<O>(plan.span));
                              });
    });
    return first_bad.throw_if_any(plan);
  }
  const std::vector<O> cuts = find_cuts(plan, resolver, parts);
  SharedTuples<O> tuples(plan, resolver, &first_bad);
  ready();
  run_parts(plan, parts, [&](int64_t p) {
    const O low = cuts[static_cast<size_t>(p)], high = cuts[static_cast<size_t>(p) + 1];
    for (int64_t block = 0; block < tuples.blocks(); ++block) {
      const O* const offsets = tuples.find(block);
      if (offsets == nullptr) return;
      mover.move(tuples.begin(block), tuples.end(block), offsets, low, high);
    }
  });
  first_bad.throw_if_any(plan);
}

template void scatter_early<uint32_t>(const Plan&, const Indices&, FunctionRef<void()>, std::byte*,
                                      const std::byte*);
template void scatter_early<uint64_t>(const Plan&, const Indices&, FunctionRef<void()>, std::byte*,
                                      const std::byte*);

}  // namespace gathernd
