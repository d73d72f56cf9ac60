#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "runtime/os.hpp"

#if defined(__linux__)
#include <sched.h>
#endif

namespace gathernd {
namespace {

class SignalBlock {
 public:
  SignalBlock() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) {
      sigdelset(&blocked, fault);
    }
    changed_ = pthread_sigmask(SIG_BLOCK, &blocked, &before_) == 0;
  }
  ~SignalBlock() {
    if (changed_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;

 private:
  sigset_t before_;
  bool changed_;
};

}  // namespace

int allowed_processors() {
#if defined(__linux__)  // std::thread may count CPUs that the affinity excludes
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
#endif
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

uint64_t second_level_cache() {
#if defined(_SC_LEVEL2_CACHE_SIZE)
  if (const long size = sysconf(_SC_LEVEL2_CACHE_SIZE); size > 0) {
    return static_cast<uint64_t>(size);
  }
#endif
  return 0;
}

void with_signals_blocked(FunctionRef<void()> f) {
  const SignalBlock block;
  f();
}

bool call_in_children(void (*f)()) { return pthread_atfork(nullptr, nullptr, f) == 0; }

}  // namespace gathernd
