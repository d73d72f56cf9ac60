#include "runtime/pool.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <thread>

#include "runtime/os.hpp"
#include "runtime/parallel_for.hpp"

namespace gathernd {
namespace {

constinit std::atomic<Pool*> current_pool{nullptr};

[[maybe_unused]] const bool at_fork = call_in_children([] { current_pool.store(nullptr); });

}  // namespace

Pool* pool() {
  Pool* existing = current_pool.load();
  if (existing) return existing;
  try {
    auto fresh = std::make_unique<Pool>();
    if (!current_pool.compare_exchange_strong(existing, fresh.get())) return existing;
    return fresh.release();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

bool Pool::try_run(int64_t parts, size_t helpers, FunctionRef<void(int64_t)> f) {
  if (busy_.test_and_set(std::memory_order_acquire)) return false;
  const Release release{busy_};
  start_workers(helpers);
  threads_ = std::min(helpers + 1, members_.size());
  cut(parts);
  f_ = &f;
  error_ = nullptr;
  failed_ = false;
  ++job_;
  inside_ -= kClosed;
  take_part(0);
  inside_ += kClosed;  // workers that wake later do not take part
  wait(done_, [&] { return inside_ == kClosed; });
  if (error_) std::rethrow_exception(error_);
  return true;
}

void Pool::start_workers(size_t count) {
  while (members_.size() <= count) {
    const size_t thread = members_.size();
    try {
      Member& member = members_.emplace_back();
      with_signals_blocked(
          [&] { std::thread([this, &member, thread] { work(member, thread); }).detach(); });
    } catch (...) {
      // There are no more threads: the existing ones and the caller do the work.
      if (members_.size() > thread) members_.pop_back();
      return;
    }
  }
}

void Pool::work(Member& member, size_t thread) {
  uint32_t seen = 0;
  while (true) {
    wait(member.parker, [&] { return member.job != seen; });
    seen = member.job;
    if (++inside_ < kClosed && thread < threads_) take_part(thread);
    if (--inside_ == kClosed) done_.unpark();
  }
}

// Spins for a while, then sleeps, because waking up takes longer than many jobs. If there are more
// threads than CPUs, a spinning thread would take a CPU from a working one, so it sleeps at once.
template <class F>
void Pool::wait(Parker& parker, F ready) const {
  if (threads_ <= processors_) spin_until(ready);
  if (!ready()) parker.park_until(ready);
}

void Pool::cut(int64_t parts) {
  const auto threads = static_cast<int64_t>(threads_);
  for (int64_t i = 0; i < threads; ++i) {
    Member& member = members_[static_cast<size_t>(i)];
    member.next = begin_of_part(parts, i, threads);
    member.end = begin_of_part(parts, i + 1, threads);
  }
}

// Each thread wakes two others, so that no thread has to wake all.
void Pool::take_part(size_t thread) {
  for (size_t child = 2 * thread + 1; child <= 2 * thread + 2 && child < threads_; ++child) {
    Member& member = members_[child];
    member.job = job_;
    member.parker.unpark();
  }
  // First the thread's own parts, then what is left of the others'.
  for (size_t i = 0; i < threads_; ++i) {
    Member& member = members_[(thread + i) % threads_];
    while (!failed_ && member.next < member.end) {
      if (const int64_t part = member.next.fetch_add(1); part < member.end) run_part(part);
    }
  }
}

void Pool::run_part(int64_t part) {
  try {
    (*f_)(part);
  } catch (...) {
    std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
    failed_ = true;
  }
}

}  // namespace gathernd
