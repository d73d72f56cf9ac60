// The threads that share the work of a call.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>

#include "core/function_ref.hpp"
#include "runtime/settings.hpp"
#include "runtime/sleep.hpp"

namespace gathernd {

// Threads that sleep between jobs. Never destroyed: at exit they end with the process, so nothing
// waits for them; a forked child leaves its parent's pool alone and makes its own.
class Pool {
 public:
  // Calls f(0) ... f(parts - 1) on the caller and up to `helpers` threads; rethrows the first
  // exception. False where another caller has the pool.
  bool try_run(int64_t parts, size_t helpers, FunctionRef<void(int64_t)> f);

 private:
  // A thread, the first one being the caller: the parts that it takes first, the same in each job,
  // so that what they touch is in its caches; the job that it was woken for.
  struct alignas(64) Member {
    std::atomic<int64_t> next;
    int64_t end;
    std::atomic<uint32_t> job = 0;
    Sleep sleep;
  };

  void start_workers(size_t count);
  void work(Member& member, size_t thread);
  template <class F>
  void wait(Sleep& sleep, F ready) const;
  void cut(int64_t parts);
  void take_part(size_t thread);
  void run_part(int64_t part);

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

  // Asked for here: to find out may fail, and a job that has begun may not.
  const size_t processors_ = static_cast<size_t>(processors());

  // Written before a job opens, read only within it.
  const FunctionRef<void(int64_t)>* f_ = nullptr;
  uint32_t job_ = 0;
  std::deque<Member> members_ = std::deque<Member>(1);  // none moves when one is added

  std::atomic<size_t> threads_ = 1;  // that may take part
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;  // guards the error
  std::exception_ptr error_;
};

// This process's; null where there is no memory for one.
Pool* pool();

}  // namespace gathernd
