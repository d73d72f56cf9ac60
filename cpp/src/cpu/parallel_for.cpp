#include "cpu/parallel_for.hpp"

#include <algorithm>
#include <atomic>
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

namespace gathernd {
namespace {

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
      f_ = &f;
      parts_ = parts;
      next_ = 0;
      helpers_ = helpers;
      error_ = nullptr;
      open_ = true;
      ++job_;
    }
    wake_.notify_all();
    run_parts();
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
        std::thread([this, index = workers_] { work(index); }).detach();
      }
    } catch (const std::system_error&) {
      // No more threads to be had: those there are, and the caller, do the work.
    }
  }

  void work(int64_t index) {
    uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return job_ != seen; });
      seen = job_;
      if (!open_ || index >= helpers_) continue;
      ++active_;
      lock.unlock();
      run_parts();
      lock.lock();
      if (--active_ == 0) done_.notify_one();
    }
  }

  void run_parts() {
    for (int64_t part; (part = next_.fetch_add(1)) < parts_;) {
      try {
        (*f_)(part);
      } catch (...) {
        std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
        next_ = parts_;
      }
    }
  }

  // Held by the caller of the current job, which may itself ask again from inside it.
  std::atomic_flag busy_;
  struct Release {
    std::atomic_flag& flag;
    ~Release() { flag.clear(std::memory_order_release); }
  };

  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_, done_;
  int64_t workers_ = 0, helpers_ = 0, active_ = 0;
  uint64_t job_ = 0;
  bool open_ = false;
  std::exception_ptr error_;
  // Written before a job opens, read only within it.
  const std::function<void(int64_t)>* f_ = nullptr;
  int64_t parts_ = 0;
  std::atomic<int64_t> next_{0};
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
      return p == parts ? n : (steps / parts * p + std::min(p, steps % parts)) * step;
    };
    f(at(part), at(part + 1));
  });
}

}  // namespace gathernd
