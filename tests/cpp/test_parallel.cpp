// parallel_parts and parallel_for: each item once, exceptions, callers at once, fork.
#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/parallel_for.hpp"
#include "runtime/settings.hpp"
#include "support.hpp"

namespace gathernd::test {
namespace {

constexpr int kThreads[] = {1, 2, 3, 7};

using Counters = std::vector<std::atomic<int>>;

bool all_are(const Counters& counters, int expected) {
  for (const auto& counter : counters) {
    if (counter != expected) return false;
  }
  return true;
}

// Whether a call runs each of its parts once.
bool runs_each_part_once(int64_t parts) {
  Counters counters(static_cast<size_t>(parts));
  parallel_parts(parts, [&](int64_t p) { ++counters[static_cast<size_t>(p)]; });
  return all_are(counters, 1);
}

template <class F>
void with_threads(F f) {
  for (int threads : kThreads) {
    INFO("threads ", threads);
    const Configured configured(cpu_target(), threads, 1);
    f();
  }
}

}  // namespace

TEST_CASE("parallel_parts runs each part once") {
  with_threads([] {
    for (int64_t parts = 0; parts < 40; ++parts) CHECK(runs_each_part_once(parts));
    for (int i = 0; i < 200; ++i) REQUIRE(runs_each_part_once(8));
  });
}

TEST_CASE("parallel_for covers each item once, in ranges of whole steps") {
  with_threads([] {
    for (int64_t step : {1, 3, 64}) {
      for (int64_t grain : {1, 5, 1000}) {
        for (int64_t n : {0, 1, 2, 3, 63, 64, 65, 191, 192, 193, 1000, 4999}) {
          Counters counters(static_cast<size_t>(n));
          std::atomic<int> ragged = 0;
          parallel_for(n, grain, step, [&](int64_t begin, int64_t end) {
            if (begin % step != 0 || (end % step != 0 && end != n)) ++ragged;
            for (int64_t i = begin; i < end; ++i) ++counters[static_cast<size_t>(i)];
          });
          REQUIRE(all_are(counters, 1));
          REQUIRE(ragged == 0);
        }
      }
    }
  });
}

TEST_CASE("parallel_for covers any number of items") {
  with_threads([] {
    for (int64_t n : {INT64_MAX / 2, INT64_MAX - 2000, INT64_MAX}) {
      std::atomic<int64_t> covered = 0;
      parallel_for(n, 1, 1024, [&](int64_t begin, int64_t end) { covered += end - begin; });
      CHECK(covered == n);
    }
  });
}

TEST_CASE("count_parts") {
  CHECK(count_parts(0, 1, 8) == 0);
  CHECK(count_parts(5, 1, 8) == 5);
  CHECK(count_parts(100, 1, 8) == 8);
  CHECK(count_parts(100, 30, 8) == 3);
  CHECK(count_parts(100, 1000, 8) == 1);
  CHECK(count_parts(100, 0, 8) == 8);
}

TEST_CASE("an exception comes out of the call, and the next call works") {
  with_threads([] {
    for (int64_t bad : {0, 3, 9}) {
      const auto fail = [&](int64_t p) {
        if (p == bad) throw std::invalid_argument("part " + std::to_string(p));
      };
      CHECK_THROWS_WITH_AS(parallel_parts(10, fail), ("part " + std::to_string(bad)).c_str(),
                           std::invalid_argument);
      CHECK(runs_each_part_once(10));
    }
    const auto all_fail = [](int64_t) { throw std::runtime_error("all"); };
    CHECK_THROWS_WITH_AS(parallel_parts(10, all_fail), "all", std::runtime_error);
  });
}

TEST_CASE("calls from inside a part") {
  with_threads([] {
    Counters counters(64);
    parallel_parts(8, [&](int64_t outer) {
      parallel_parts(8, [&](int64_t inner) { ++counters[static_cast<size_t>(outer * 8 + inner)]; });
    });
    CHECK(all_are(counters, 1));
  });
}

TEST_CASE("calls from 8 threads at once") {
  with_threads([] {
    std::atomic<int> good = 0;
    std::vector<std::thread> callers;
    for (int i = 0; i < 8; ++i) {
      callers.emplace_back([&] {
        for (int repeat = 0; repeat < 50; ++repeat) good += runs_each_part_once(1 + repeat % 9);
      });
    }
    for (std::thread& caller : callers) caller.join();
    CHECK(good == 8 * 50);
  });
}

TEST_CASE("a thread that is late takes no part of a call that has returned") {
  const Configured configured(cpu_target(), 1, 1);
  int64_t call = 0;  // no atomic: ThreadSanitizer would see a part that outlives its call
  for (; call < 3000; ++call) {
    set_num_threads(2 + static_cast<int>(call * 7 % 11));  // threads of one call rest in the next
    const int64_t parts = 1 + call % 13, expected = call;
    std::atomic<int64_t> right = 0;
    parallel_parts(parts, [&](int64_t) { right += call == expected; });
    REQUIRE(right == parts);
  }
}

TEST_CASE("a call that waits for one part lets other threads take the rest") {
  const Configured configured(cpu_target(), 3, 1);
  for (int64_t held = 0; held < 6; ++held) {
    std::atomic<int64_t> done = 0;
    parallel_parts(6, [&](int64_t p) {
      while (p == held && done < 5) std::this_thread::yield();
      ++done;
    });
    CHECK(done == 6);
  }
}

#if !defined(_WIN32)
TEST_CASE("a forked child has threads of its own") {
  with_threads([] {
    REQUIRE(runs_each_part_once(20));
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      alarm(60);  // a hang ends the child, and fails the test
      _exit(runs_each_part_once(20) && runs_each_part_once(20) ? 0 : 1);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(runs_each_part_once(20));
  });
}
#endif

TEST_CASE("settings are set, restored and checked") {
  const Configured configured(cpu_target(), 5, 17);
  CHECK(num_threads() == 5);
  CHECK(grain() == 17);
  CHECK(grain_for(1) == 17);
  set_grain(0);
  CHECK(grain_for(1) > grain_for(1000));
  CHECK(grain_for(INT64_MAX / 2) == 1);
  for (int count : {0, -1, INT32_MIN, 1025, INT32_MAX}) {
    CHECK(error_of(ErrorKind::kValue, [&] { set_num_threads(count); }) ==
          "set_num_threads: " + std::to_string(count) +
              " is refused: it must be a whole number from 1 to 1024");
  }
  CHECK(num_threads() == 5);
  const std::string message = error_of(ErrorKind::kValue, [] { set_cpu_target("8086"); });
  for (std::string_view target : cpu_targets()) {
    CHECK(message.find(target) != std::string::npos);
    set_cpu_target(target);
    CHECK(cpu_target() == target);
  }
}

}  // namespace gathernd::test
