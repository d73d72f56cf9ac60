// The worker threads that share the work of a call.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>

#include "core/function_ref.hpp"
#include "runtime/parker.hpp"
#include "runtime/settings.hpp"

namespace gathernd {

// Worker threads, which sleep between jobs. Never destroyed: at exit they end with the process, and
// nothing waits for them. A forked child makes its own pool and does not touch its parent's.
class Pool {
 public:
  // Calls f(0) ... f(parts - 1) on the calling thread and up to `helpers` workers; rethrows the
  // first exception. Returns false if another caller is using the pool.
  bool try_run(int64_t parts, size_t helpers, FunctionRef<void(int64_t)> f);

 private:
  // A thread; the first is the caller. [next, end) are the parts that it takes first. They are the
  // same in each job, so that its caches hold the data. `job` is the job that it was woken for.
  struct alignas(64) Member {
    std::atomic<int64_t> next;
    int64_t end;
    std::atomic<uint32_t> job = 0;
    Parker parker;
  };

  void start_workers(size_t count);
  void work(Member& member, size_t thread);
  template <class F>
  void wait(Parker& parker, F ready) const;
  void cut(int64_t parts);
  void take_part(size_t thread);
  void run_part(int64_t part);

  // Held by the caller of the current job. The job itself may call try_run() again.
  std::atomic_flag busy_;
  struct Release {
    std::atomic_flag& flag;
    ~Release() { flag.clear(std::memory_order_release); }
  };

  // The number of workers in the job, and a bit that says that the job is closed.
  static constexpr uint32_t kClosed = uint32_t{1} << 31;
  std::atomic<uint32_t> inside_ = kClosed;
  Parker done_;  // the caller waits here

  // Read here, because processors() may throw and a job that has begun may not.
  const size_t processors_ = static_cast<size_t>(processors());

  // Written before a job opens; read only inside it.
  const FunctionRef<void(int64_t)>* f_ = nullptr;
  uint32_t job_ = 0;
  std::deque<Member> members_ = std::deque<Member>(1);  // a deque: adding one moves no other

  std::atomic<size_t> threads_ = 1;  // those that may take part in the job
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;  // guards the error
  std::exception_ptr error_;
};

// The pool of this process; null if there is no memory for one.
Pool* pool();

}  // namespace gathernd
