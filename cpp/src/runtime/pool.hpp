// The worker threads that share the work of a call.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>

#include "core/function_ref.hpp"
#include "runtime/parker.hpp"
#include "runtime/settings.hpp"

namespace gathernd {

// Worker threads, which sleep between jobs. Never destroyed: at exit they end with the process, and
// nothing waits for them. A forked child makes its own pool and does not touch its parent's.
//
// A job ends when its last part is done. It does not wait for a thread that has begun no part: a
// worker that wakes up or gets a CPU too late finds no part to take, whichever job runs by then.
class Pool {
 public:
  // Calls f(0) ... f(parts - 1) on the calling thread and up to `helpers` workers; rethrows the
  // first exception. Returns false if another caller is using the pool. There are less than 2^31
  // parts.
  bool try_run(int64_t parts, size_t helpers, FunctionRef<void(int64_t)> f);

 private:
  // The parts [next, end) that a thread takes first; when it has none left, it takes those of the
  // others. They are the same in each job, so that its caches hold the data. Both are one word:
  // whoever counts `next` up knows whether that is a part of the job that runs now.
  class Parts {
   public:
    void set(int64_t next, int64_t end) {
      word_ = static_cast<uint64_t>(end) << 32 | static_cast<uint64_t>(next);
    }
    // False if there is none left.
    bool take(int64_t* part) {
      if (!has_one(word_)) return false;
      const uint64_t word = word_++;
      *part = static_cast<int64_t>(static_cast<uint32_t>(word));
      return has_one(word);
    }

   private:
    static bool has_one(uint64_t word) { return static_cast<uint32_t>(word) < word >> 32; }

    std::atomic<uint64_t> word_ = 0;
  };

  // A thread; the first is the caller.
  struct alignas(64) Member {
    Parts parts;
    std::atomic<bool> called = false;  // since it last looked
    Parker parker;
  };

  void start_workers(size_t count);
  void work(Member& member, size_t thread);
  template <class F>
  void wait(Parker& parker, F ready) const;
  void call_next();
  void take_parts(size_t thread);
  void run_part(int64_t part);

  // Held by the caller of the current job. The job itself may call try_run() again.
  std::atomic_flag busy_;
  struct Release {
    std::atomic_flag& flag;
    ~Release() { flag.clear(std::memory_order_release); }
  };

  // Read here, because processors() may throw and a job that has begun may not.
  const size_t processors_ = static_cast<size_t>(processors());

  // Workers that are late may read these while the next job begins.
  std::array<std::atomic<Member*>, kMostThreads> members_;
  std::atomic<size_t> threads_ = 1;  // those that may take part in the job
  std::atomic<size_t> called_ = 1;   // of those, how many have been called

  // Read and written only by threads that have taken a part, and before there is one to take.
  const FunctionRef<void(int64_t)>* f_ = nullptr;
  std::atomic<int64_t> left_ = 0;  // parts that are not done
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;  // guards the error
  std::exception_ptr error_;
  Parker done_;  // the caller waits here

  size_t count_ = 1;  // of the members; the caller's
  Member caller_;
};

// The pool of this process; null if there is no memory for one.
Pool* pool();

}  // namespace gathernd
