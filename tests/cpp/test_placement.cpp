// Placement: a thread stays off one processor, and on those that others chose for it.
#if defined(__linux__)
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <thread>
#include <vector>

#include "cpu/parallel_for.hpp"
#include "cpu/placement.hpp"
#include "cpu/settings.hpp"
#include "support.hpp"

namespace gathernd::test {
namespace {

// The processors that a thread may be on, in order.
std::vector<int> allowed(std::thread::native_handle_type thread) {
  cpu_set_t set;
  REQUIRE(pthread_getaffinity_np(thread, sizeof set, &set) == 0);
  std::vector<int> processors;
  for (int p = 0; p < CPU_SETSIZE; ++p) {
    if (CPU_ISSET(p, &set)) processors.push_back(p);
  }
  return processors;
}

void allow(std::thread::native_handle_type thread, const std::vector<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int p : processors) CPU_SET(p, &set);
  REQUIRE(pthread_setaffinity_np(thread, sizeof set, &set) == 0);
}

std::vector<int> without(std::vector<int> processors, int one) {
  std::erase(processors, one);
  return processors;
}

// A thread that is there until the end of the test.
struct Sleeper {
  std::atomic<bool> over = false;
  std::thread thread{[this] { over.wait(false); }};
  ~Sleeper() {
    over = true;
    over.notify_one();
    thread.join();
  }
};

}  // namespace

TEST_CASE("a placed thread is off one processor at a time, never off all") {
  Sleeper sleeper;
  const auto thread = sleeper.thread.native_handle();
  const std::vector<int> all = allowed(thread);
  Placement placement(thread);
  for (int processor : all) {
    placement.keep_off(processor);
    CHECK(allowed(thread) == (all.size() == 1 ? all : without(all, processor)));
  }
  for (int none : {-1, CPU_SETSIZE, INT_MAX}) {
    placement.keep_off(all.front());
    placement.keep_off(none);
    CHECK(allowed(thread) == all);
  }
}

TEST_CASE("a placed thread stays on the processors that others choose for it") {
  Sleeper sleeper;
  const auto thread = sleeper.thread.native_handle();
  const std::vector<int> all = allowed(thread);
  Placement placement(thread);
  allow(thread, {all.back()});
  placement.keep_off(all.back());  // its only one
  CHECK(allowed(thread) == std::vector<int>{all.back()});
  allow(thread, all);
  placement.keep_off(all.front());
  CHECK(allowed(thread) == (all.size() == 1 ? all : without(all, all.front())));
  allow(thread, {all.front()});
  placement.keep_off(-1);
  CHECK(allowed(thread) == std::vector<int>{all.front()});
}

TEST_CASE(
    "threads that help are kept off the processor of the caller, which stays where it may be") {
  const int threads = std::max(2, processors());
  const Configured configured(cpu_target(), threads, 1);
  const std::vector<int> all = allowed(pthread_self());
  const auto caller = std::this_thread::get_id();
  for (int i = 0; i < 20; ++i) {
    std::atomic<bool> helped = false;
    parallel_parts(threads, [&](int64_t) {
      if (std::this_thread::get_id() == caller) {
        helped.wait(false);  // so that another part is a helper's
        return;
      }
      const size_t left = allowed(pthread_self()).size();
      CHECK(left == (all.size() == 1 ? 1 : all.size() - 1));
      helped = true;
      helped.notify_one();
    });
  }
  CHECK(allowed(pthread_self()) == all);
}

}  // namespace gathernd::test
#endif
