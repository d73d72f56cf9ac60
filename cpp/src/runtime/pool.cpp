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

}  // namespace

Pool* pool() {
  Pool* existing = current_pool.load();
  if (existing) return existing;
  try {
    auto fresh = std::make_unique<Pool>();
    call_in_children([] { current_pool.store(nullptr); });  // before one can inherit the pool
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
  f_ = &f;
  error_ = nullptr;
  failed_ = false;
  left_ = parts;
  const size_t threads = std::min(helpers + 1, count_);
  threads_ = threads;
  called_ = 1;
  for (size_t i = 0; i < threads; ++i) {
    const auto at = [&](size_t thread) {
      return begin_of_part(parts, static_cast<int64_t>(thread), static_cast<int64_t>(threads));
    };
    members_[i].load()->parts.set(at(i), at(i + 1));
  }
  take_parts(0);
  wait(done_, [&] { return left_ == 0; });
  if (error_) std::rethrow_exception(error_);
  return true;
}

void Pool::start_workers(size_t count) {
  members_[0] = &caller_;
  for (; count_ <= std::min(count, members_.size() - 1); ++count_) {
    try {
      auto member = std::make_unique<Member>();
      with_signals_blocked([&] {
        std::thread([this, &member = *member, thread = count_] { work(member, thread); }).detach();
      });
      members_[count_] = member.release();
    } catch (...) {
      return;  // there are no more threads: the existing ones and the caller do the work
    }
  }
}

void Pool::work(Member& member, size_t thread) {
  while (true) {
    wait(member.parker, [&] { return member.called.load(); });
    member.called = false;
    take_parts(thread);
  }
}

// Spins for a while, then sleeps, because waking up takes longer than many jobs. If there are more
// threads than CPUs, a spinning thread would take a CPU from a working one, so it sleeps at once.
template <class F>
void Pool::wait(Parker& parker, F ready) const {
  if (threads_ <= processors_) spin_until(ready);
  if (!ready()) parker.park_until(ready);
}

// Calls a thread that has not been called, if there are parts for it.
void Pool::call_next() {
  const size_t threads = threads_;
  const size_t called = called_;
  if (called >= threads || left_ <= static_cast<int64_t>(called)) return;
  const size_t thread = called_++;
  if (thread >= threads) return;
  Member& member = *members_[thread];
  member.called = true;
  member.parker.unpark();
}

// Each thread calls two others and, after each part, one more: no thread has to call all, and no
// thread that is late to wake up keeps others from it.
void Pool::take_parts(size_t thread) {
  call_next();
  call_next();
  const size_t threads = threads_;
  if (thread >= threads) return;
  for (size_t i = 0; i < threads; ++i) {
    Member& member = *members_[(thread + i) % threads];
    for (int64_t part; member.parts.take(&part);) {
      run_part(part);
      call_next();
    }
  }
}

void Pool::run_part(int64_t part) {
  try {
    if (!failed_) (*f_)(part);
  } catch (...) {
    std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
    failed_ = true;
  }
  if (--left_ == 0) done_.unpark();
}

}  // namespace gathernd
