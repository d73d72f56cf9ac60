#include "cpu/parallel_for.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#if !defined(_WIN32)
#include <pthread.h>
#endif

#include "cpu/settings.hpp"
#include "hwy/cache_control.h"

namespace gathernd {
namespace {

// Looks for a while whether `ready`: to sleep and be woken takes longer than many a job.
template <class F>
void spin_until(F ready) {
  constexpr auto kPatience = std::chrono::microseconds(30);
  constexpr int kLooks = 16;  // between two at the clock
  const auto end = std::chrono::steady_clock::now() + kPatience;
  do {
    for (int i = 0; i < kLooks; ++i) {
      if (ready()) return;
      hwy::Pause();
    }
  } while (std::chrono::steady_clock::now() < end);
}

// The sleep of one thread until another has stored what it waits for. (std::atomic's own wait can
// miss that where the system has no futex: libstdc++ 12 looks before it takes its lock.)
class Sleep {
 public:
  template <class F>
  void until(F ready) {
    std::unique_lock lock(mutex_);
    asleep_ = true;
    wake_.wait(lock, ready);
    asleep_ = false;
  }

  // Comes after the store. Who is not asleep by now sees that.
  void end() {
    if (!asleep_) return;
    {
      const std::lock_guard lock(mutex_);
    }  // between its look and its sleep
    wake_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<bool> asleep_ = false;
};

// Threads that sleep between jobs. Never destroyed: at exit they end with the process, so nothing
// waits for them; a forked child leaves its parent's pool alone and makes its own.
class Pool {
 public:
  // False where another caller has the pool.
  bool try_run(int64_t parts, size_t helpers, const std::function<void(int64_t)>& f) {
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
    inside_ += kClosed;  // who has not woken yet need not
    wait(done_, [&] { return inside_ == kClosed; });
    if (error_) std::rethrow_exception(error_);
    return true;
  }

 private:
  // A thread, the first one being the caller: the parts that it takes first, the same in each job,
  // so that what they touch is in its caches; the job that it was woken for.
  struct alignas(64) Member {
    std::atomic<int64_t> next;
    int64_t end;
    std::atomic<uint32_t> job = 0;
    Sleep sleep;
  };

  void start_workers(size_t count) {
    while (members_.size() <= count) {
      const size_t thread = members_.size();
      try {
        Member& member = members_.emplace_back();
        std::thread([this, &member, thread] { work(member, thread); }).detach();
      } catch (...) {
        // No more threads to be had: those there are, and the caller, do the work.
        if (members_.size() > thread) members_.pop_back();
        return;
      }
    }
  }

  void work(Member& member, size_t thread) {
    uint32_t seen = 0;
    while (true) {
      wait(member.sleep, [&] { return member.job != seen; });
      seen = member.job;
      if (++inside_ < kClosed && thread < threads_) take_part(thread);
      if (--inside_ == kClosed) done_.end();
    }
  }

  // Looks for a while, then sleeps: to be woken takes longer than many a job. Where there are more
  // threads than processors, one that looks would take one from those that work.
  template <class F>
  void wait(Sleep& sleep, F ready) const {
    static const size_t processors = std::thread::hardware_concurrency();
    if (threads_ <= processors) spin_until(ready);
    if (!ready()) sleep.until(ready);
  }

  void cut(int64_t parts) {
    const auto threads = static_cast<int64_t>(threads_);
    for (int64_t i = 0; i < threads; ++i) {
      Member& member = members_[static_cast<size_t>(i)];
      member.next = begin_of_part(parts, i, threads);
      member.end = begin_of_part(parts, i + 1, threads);
    }
  }

  // Each thread wakes two, so that no one has to wake all.
  void take_part(size_t thread) {
    for (size_t child = 2 * thread + 1; child <= 2 * thread + 2 && child < threads_; ++child) {
      members_[child].job = job_;
      members_[child].sleep.end();
    }
    // A thread's own parts, then what is left of the others'.
    for (size_t i = 0; i < threads_; ++i) {
      Member& member = members_[(thread + i) % threads_];
      while (!failed_ && member.next < member.end) {
        if (const int64_t part = member.next.fetch_add(1); part < member.end) run_part(part);
      }
    }
  }

  void run_part(int64_t part) {
    try {
      (*f_)(part);
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      failed_ = true;
    }
  }

  // Held by the caller of the current job, which may itself ask again from inside it.
  std::atomic_flag busy_;
  struct Release {
    std::atomic_flag& flag;
    ~Release() { flag.clear(std::memory_order_release); }
  };

  // The workers that are in the job, and a bit that says that it is over.
  static constexpr uint32_t kClosed = uint32_t{1} << 31;
  std::atomic<uint32_t> inside_ = kClosed;
  Sleep done_;  // of the caller

  // Written before a job opens, read only within it.
  const std::function<void(int64_t)>* f_ = nullptr;
  uint32_t job_ = 0;
  std::deque<Member> members_ = std::deque<Member>(1);  // none moves when one is added

  std::atomic<size_t> threads_ = 1;  // that may take part
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;  // guards the error
  std::exception_ptr error_;
};

std::atomic<Pool*> current_pool{nullptr};

#if !defined(_WIN32)
[[maybe_unused]] const int at_fork =
    pthread_atfork(nullptr, nullptr, [] { current_pool.store(nullptr); });
#endif

Pool& pool() {
  Pool* existing = current_pool.load();
  if (existing) return *existing;
  auto fresh = std::make_unique<Pool>();
  if (!current_pool.compare_exchange_strong(existing, fresh.get())) return *existing;
  return *fresh.release();
}

}  // namespace

void parallel_parts(int64_t parts, const std::function<void(int64_t)>& f) {
  const int64_t threads = std::min<int64_t>(parts, num_threads());
  if (threads > 1 && pool().try_run(parts, static_cast<size_t>(threads) - 1, f)) return;
  for (int64_t part = 0; part < parts; ++part) f(part);
}

int64_t count_parts(int64_t n, int64_t grain, int64_t limit) {
  return std::min({n, std::max<int64_t>(n / std::max<int64_t>(grain, 1), 1), limit});
}

int64_t begin_of_part(int64_t n, int64_t part, int64_t parts) {
  return n / parts * part + std::min(part, n % parts);
}

void parallel_for(int64_t n, int64_t grain, int64_t step,
                  const std::function<void(int64_t, int64_t)>& f) {
  // A job is worth its threads from two grains on; but then small ranges, so that a slow thread
  // does not keep the others waiting.
  constexpr int64_t kRangesPerGrain = 8;
  const int64_t limit = num_threads() == 1 || n / 2 < grain ? 1 : num_threads() * kRangesPerThread;
  const int64_t steps = n / step + (n % step != 0);
  const int64_t parts = std::min(steps, count_parts(n, grain / kRangesPerGrain, limit));
  if (parts <= 1) {
    if (n > 0) f(0, n);
    return;
  }
  parallel_parts(parts, [&](int64_t part) {
    // Neither steps * part nor steps * step need fit 64 bits: n can be any number of 0-stride
    // tuples.
    const auto at = [&](int64_t p) {
      return p == parts ? n : begin_of_part(steps, p, parts) * step;
    };
    f(at(part), at(part + 1));
  });
}

}  // namespace gathernd
