#include "cpu/parallel_for.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

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

// Threads that sleep between jobs. Never destroyed: at exit they end with the process, so nothing
// waits for them; a forked child leaves its parent's pool alone and makes its own.
class Pool {
 public:
  // False where another caller has the pool.
  bool try_run(int64_t parts, int64_t helpers, const std::function<void(int64_t)>& f) {
    if (busy_.test_and_set(std::memory_order_acquire)) return false;
    const Release release{busy_};
    {
      std::lock_guard lock(mutex_);
      start_workers(helpers);
      cut(parts, helpers + 1);
      f_ = &f;
      helpers_ = helpers;
      error_ = nullptr;
      failed_ = false;
      open_ = true;
      ++job_;
    }
    wake_.notify_all();
    run_parts(0);
    if (!is_crowded()) spin_until([&] { return active_ == 0; });
    std::unique_lock lock(mutex_);
    open_ = false;  // who has not woken yet need not
    done_.wait(lock, [&] { return active_ == 0; });
    if (error_) std::rethrow_exception(error_);
    return true;
  }

 private:
  void start_workers(int64_t count) {
    try {
      for (; workers_ < count; ++workers_) {
        std::thread([this, index = workers_.load()] { work(index); }).detach();
      }
    } catch (const std::system_error&) {
      // No more threads to be had: those there are, and the caller, do the work.
    }
  }

  void work(int64_t index) {
    uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    while (true) {
      if (index < helpers_ && !is_crowded()) {
        lock.unlock();
        spin_until([&] { return job_ != seen; });
        lock.lock();
      }
      wake_.wait(lock, [&] { return job_ != seen; });
      seen = job_;
      if (!open_ || index >= helpers_) continue;
      ++active_;
      lock.unlock();
      run_parts(static_cast<size_t>(index) + 1);
      lock.lock();
      if (--active_ == 0) done_.notify_one();
    }
  }

  void cut(int64_t parts, int64_t threads) {
    if (shares_.size() != static_cast<size_t>(threads)) {
      shares_ = std::vector<Share>(static_cast<size_t>(threads));
    }
    for (int64_t i = 0; i < threads; ++i) {
      Share& share = shares_[static_cast<size_t>(i)];
      share.next = begin_of_part(parts, i, threads);
      share.end = begin_of_part(parts, i + 1, threads);
    }
  }

  // A thread's own share, then what is left of the others'.
  void run_parts(size_t thread) {
    for (size_t i = 0; i < shares_.size(); ++i) {
      Share& share = shares_[(thread + i) % shares_.size()];
      for (int64_t part; !failed_ && (part = share.next.fetch_add(1)) < share.end;) run_part(part);
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

  // Whether a thread that waits takes a processor from one that works.
  bool is_crowded() const {
    static const int64_t processors = std::thread::hardware_concurrency();
    return workers_ >= processors;
  }

  // Held by the caller of the current job, which may itself ask again from inside it.
  std::atomic_flag busy_;
  struct Release {
    std::atomic_flag& flag;
    ~Release() { flag.clear(std::memory_order_release); }
  };

  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_, done_;
  int64_t helpers_ = 0;
  std::atomic<int64_t> workers_ = 0, active_ = 0;
  std::atomic<uint64_t> job_ = 0;
  bool open_ = false;
  std::exception_ptr error_;
  // Written before a job opens, read only within it.
  const std::function<void(int64_t)>* f_ = nullptr;
  // The parts that a thread takes first, the same in each job: what they touch is in its caches.
  struct alignas(64) Share {
    std::atomic<int64_t> next;
    int64_t end;
  };
  std::vector<Share> shares_;
  std::atomic<bool> failed_ = false;
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
  const int64_t helpers = std::min<int64_t>(parts, num_threads()) - 1;
  if (helpers > 0 && pool().try_run(parts, helpers, f)) return;
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
  constexpr int64_t kRangesPerThread = 8;
  const int64_t threads = num_threads();
  const int64_t steps = n / step + (n % step != 0);
  const int64_t parts =
      std::min(steps, count_parts(n, grain, threads == 1 ? 1 : threads * kRangesPerThread));
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
