#include "cpu/scatter/blocks.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "cpu/common/tuning.hpp"
#include "cpu/order/cut_table.hpp"
#include "runtime/buffer.hpp"
#include "runtime/parker.hpp"

namespace gathernd {

// The tuples, resolved block by block by the threads that need them. One thread resolves a block
// for all: if another thread of the caller changes an index meanwhile, all parts see the same
// value.
template <class O>
class ResolvingBlocks<O>::Shared {
 public:
  Shared(const Plan& plan, const Resolver<O>& resolver, FirstBad* first_bad)
      : resolver_(resolver),
        first_bad_(first_bad),
        tuples_(plan.tuples),
        block_(tuning().shared_block),
        offsets_(static_cast<size_t>(tuples_)),
        resolved_(static_cast<size_t>((tuples_ + block_ - 1) / block_)) {}

  int64_t blocks() const { return static_cast<int64_t>(resolved_.size()); }
  int64_t begin(int64_t block) const { return block * block_; }
  int64_t end(int64_t block) const { return std::min(tuples_, begin(block) + block_); }

  // The offsets of a block; null if a tuple is bad. While another thread resolves the block, this
  // one resolves blocks that nobody has begun.
  const O* find(int64_t block) {
    const std::atomic<bool>& resolved = resolved_[static_cast<size_t>(block)];
    while (!resolved.load(std::memory_order_acquire)) {
      if (!resolve_next()) wait_for(resolved);
      if (failed_) return nullptr;
    }
    return offsets_.data() + begin(block);
  }

  // Resolves blocks until none is left.
  void resolve_all() {
    while (!failed_ && resolve_next()) {
    }
  }

 private:
  // Returns false if all blocks are begun.
  bool resolve_next() {
    const int64_t mine = next_ < blocks() ? next_++ : blocks();
    if (mine >= blocks()) return false;
    resolve(mine);
    return true;
  }

  void resolve(int64_t block) {
    const int64_t first = begin(block);
    O* const offsets = offsets_.data() + first;
    if (resolver_.resolve(first, end(block) - first, offsets, first_bad_)) {
      resolved_[static_cast<size_t>(block)].store(true, std::memory_order_release);
    } else {
      failed_ = true;
    }
  }

  // A block takes some 20 us. Whoever waits longer waits for a thread that has no CPU.
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

template <class O>
bool is_uneven(std::span<const O> sample, std::span<const O> cuts) {
  const auto share = static_cast<double>(sample.size()) / static_cast<double>(cuts.size() - 1);
  for (size_t p = 0; p + 1 < cuts.size(); ++p) {
    const auto count = std::ranges::count_if(
        sample, [&](O offset) { return offset >= cuts[p] && offset < cuts[p + 1]; });
    if (static_cast<double>(count) > tuning().part_share * share) return true;
  }
  return false;
}

template <class O>
void write_blocks(const Plan& plan, const O* offsets, std::span<const O> cuts, std::byte* table,
                  const std::byte* rows) {
  const ScatterMover<O> mover(plan, table, rows, {plan.slice});
  run_parts(plan, std::ssize(cuts) - 1, [&](int64_t p) {
    const auto at = static_cast<size_t>(p);
    mover.move(0, plan.tuples, offsets, cuts[at], cuts[at + 1]);
  });
}

// All fields of a block of tuples, before the caches lose their records.
template <class O>
void write_fields(const Plan& plan, const O* offsets, std::span<const O> cuts, std::byte* table,
                  const std::byte* rows) {
  std::vector<ScatterMover<O>> movers;
  for (const ByteRun& run : *plan.dtype.fields) {
    if (run.size == 0) continue;
    movers.emplace_back(plan, table, rows, field_of(plan.slice, plan.dtype.size, run));
  }
  run_parts(plan, std::ssize(cuts) - 1, [&](int64_t p) {
    const O low = cuts[static_cast<size_t>(p)], high = cuts[static_cast<size_t>(p) + 1];
    const bool backwards = plan.duplicates == Duplicates::kFirst;
    for_each_tuple_block<O>(plan.tuples, backwards, [&](int64_t at, int64_t n) {
      for (const auto& mover : movers) mover.move_block(at, offsets + at, n, low, high);
    });
  });
}

template <class O>
ResolvingBlocks<O>::ResolvingBlocks(const Plan& plan, const Indices& indices, int64_t parts,
                                    bool ahead)
    : plan_(plan), resolver_(plan, indices), ahead_(ahead), cuts_{0, static_cast<O>(plan.span)} {
  if (parts == 1 && !ahead) return;
  if (parts > 1) cuts_ = cut_table(plan, take_sample(plan, parts, kSamples, resolver_));
  shared_ = std::make_unique<Shared>(plan, resolver_, &first_bad_);
}

template <class O>
ResolvingBlocks<O>::~ResolvingBlocks() = default;

template <class O>
void ResolvingBlocks<O>::write(std::byte* table, const std::byte* rows) {
  const ScatterMover<O> mover(plan_, table, rows, {plan_.slice});
  if (shared_ == nullptr) {
    run_parts(plan_, 1, [&](int64_t) {
      resolver_.for_each_block(0, plan_.tuples, &first_bad_,
                               [&](int64_t first, int64_t n, const O* offsets) {
                                 mover.move_block(first, offsets, n, 0, static_cast<O>(plan_.span));
                               });
    });
    return first_bad_.throw_if_any(plan_);
  }
  const int64_t writers = std::ssize(cuts_) - 1;
  run_parts(plan_, writers + ahead_, [&](int64_t p) {
    if (p >= writers) return shared_->resolve_all();
    const O low = cuts_[static_cast<size_t>(p)], high = cuts_[static_cast<size_t>(p) + 1];
    for (int64_t block = 0; block < shared_->blocks(); ++block) {
      const O* const offsets = shared_->find(block);
      if (offsets == nullptr) return;
      const int64_t first = shared_->begin(block);
      mover.move(first, shared_->end(block) - first, offsets, low, high);
    }
  });
  first_bad_.throw_if_any(plan_);
}

template bool is_uneven(std::span<const uint32_t>, std::span<const uint32_t>);
template bool is_uneven(std::span<const uint64_t>, std::span<const uint64_t>);
template void write_blocks(const Plan&, const uint32_t*, std::span<const uint32_t>, std::byte*,
                           const std::byte*);
template void write_blocks(const Plan&, const uint64_t*, std::span<const uint64_t>, std::byte*,
                           const std::byte*);
template void write_fields(const Plan&, const uint32_t*, std::span<const uint32_t>, std::byte*,
                           const std::byte*);
template void write_fields(const Plan&, const uint64_t*, std::span<const uint64_t>, std::byte*,
                           const std::byte*);
template class ResolvingBlocks<uint32_t>;
template class ResolvingBlocks<uint64_t>;

}  // namespace gathernd
