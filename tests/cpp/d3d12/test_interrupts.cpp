#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "answers.hpp"
#include "d3d12/gpu/failure.hpp"
#include "d3d12/gpu/interrupt.hpp"
#include "gathernd/device.hpp"
#include "gathernd/error.hpp"
#include "tuning.hpp"

namespace gathernd::testing {
namespace {

TEST_CASE("interrupts: a call ends, and the next one works") {
  Case c{.outer = {200000}, .indexed = {1}, .slice = {4}, .reduction = Reduction::kAdd};
  Arrays arrays(c);
  set_interrupt_check([] { return true; });
  const Answer answer = device_scatter(c, arrays);
  set_interrupt_check(nullptr);
  if (!answer.error.empty()) CHECK(answer.error == "[d3d12] the wait was interrupted");
  CHECK(check_gather({.outer = {7}, .indexed = {3}, .slice = {2}}));
}

// In the memory of the input, which the host has.
Answer device_scatter_in_place(const Case& c, Arrays& arrays) {
  Arrays copy = arrays;
  const Tensor table = copy.input.tensor();
  const Plan plan = make_plan(Operator::kScatter, table, copy.indices.tensor(), copy.rows.tensor(),
                              {.reduction = c.reduction, .duplicates = c.duplicates});
  Answer answer;
  try {
    d3d12_api().backend(0).scatter(plan, table, copy.indices.tensor(), copy.rows.tensor(), table,
                                   false);
  } catch (const Error& error) {
    answer.error = error.what();
  }
  answer.bytes = copy.input.bytes;
  return answer;
}

// Asks the call to stop in each of its waits in turn, until it has no more of them. A call that is
// asked to stop throws; one that has begun to write is not asked.
void interrupt_each_wait(const std::function<Answer()>& call,
                         const std::function<void(const Answer&, bool asked)>& look) {
  constexpr const char* kWait = "ID3D12Fence::GetCompletedValue";
  static bool asked;
  int wait = 0;
  bool reached = true;
  for (; reached; ++wait) {
    CAPTURE(wait);
    asked = false;
    set_interrupt_check([] { return asked = true; });
    inject_device_fault(kWait, 1, wait);
    const Answer answer = call();
    for (int left = 0; left <= wait; ++left) reached = reached && d3d12::take_fault(kWait, 0) == 0;
    inject_device_fault("", 0);
    set_interrupt_check(nullptr);
    CHECK(answer.error == (asked ? "[d3d12] the wait was interrupted" : ""));
    look(answer, asked);
  }
  CHECK(wait > 1);
}

// What is on the device stays. A call that was stopped has written nothing, in place too.
void check_interrupts(const Case& c) {
  Arrays arrays(c);
  const Answer expected = expected_scatter(c, arrays);
  DeviceBackend& device = d3d12_api().backend(0);
  const DeviceMemoryPtr indices = device.upload(arrays.indices.tensor());
  const DeviceMemoryPtr rows = device.upload(arrays.rows.tensor());
  const Plan plan =
      make_plan(Operator::kScatter, arrays.input.tensor(), arrays.indices.tensor(),
                arrays.rows.tensor(), {.reduction = c.reduction, .duplicates = c.duplicates});
  DeviceMemoryPtr table;
  const auto scatter = [&](bool in_place) {
    table = device.upload(arrays.input.tensor());
    return [&, in_place] {
      try {
        device.scatter(plan, table, *indices, *rows, in_place);
      } catch (const Error& error) {
        return Answer{{}, error.what()};
      }
      return Answer{};
    };
  };
  Array got(c.dtype, arrays.input.shape);
  interrupt_each_wait(scatter(true), [&](const Answer&, bool asked) {
    device.download(*table, got.tensor(), false);
    CHECK(got.bytes == (asked ? arrays.input.bytes : expected.bytes));
    table = device.upload(arrays.input.tensor());
  });
  interrupt_each_wait(scatter(false), [&](const Answer&, bool) {
    device.download(*table, got.tensor(), false);
    CHECK(got.bytes == arrays.input.bytes);
  });
  interrupt_each_wait([&] { return device_scatter(c, arrays); },
                      [&](const Answer& answer, bool asked) {
                        if (!asked) CHECK(answer.bytes == expected.bytes);
                      });
  interrupt_each_wait([&] { return device_scatter_in_place(c, arrays); },
                      [&](const Answer& answer, bool asked) {
                        CHECK(answer.bytes == (asked ? arrays.input.bytes : expected.bytes));
                      });
}

TEST_CASE("interrupts: the device keeps what lies there") {
  Case c{.outer = {300}, .indexed = {3}, .slice = {5}, .dtype = {Kind::kInt32, 4}};
  c.reduction = Reduction::kAdd;
  check_interrupts(c);
  c.outer = {100};  // lists
  c.indexed = {40};
  check_interrupts(c);
  c.outer = {1};
  c.reduction = Reduction::kNone;
  c.duplicates = Duplicates::kError;
  check_interrupts(c);
  const SmallPieces small(256);  // many submissions
  check_interrupts({.outer = {40}, .indexed = {30}, .slice = {40}, .dtype = {Kind::kInt32, 4}});
}

TEST_CASE("interrupts: a call of many short waits is asked, too") {
  static std::atomic<int> asked;
  asked = 0;
  const SmallPieces small(1 << 20, 1 << 20);  // staging of 512 bytes: each upload waits
  Case c{.outer = {400000}, .indexed = {1000}, .slice = {1}};
  Arrays arrays(c);
  set_interrupt_check([] {
    ++asked;
    return false;
  });
  const auto start = std::chrono::steady_clock::now();
  CHECK(device_gather(c, arrays) == expected_gather(c, arrays));
  set_interrupt_check(nullptr);
  const auto spent = std::chrono::steady_clock::now() - start;
  CHECK(asked >= spent / std::chrono::milliseconds(200));
}

std::string open_error() {
  try {
    d3d12_api().backend(0).open();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("interrupts: the device is at work, for this thread or another") {
  static std::string here, there;
  static std::thread::id waiting;
  Case c{.outer = {7}, .indexed = {3}, .slice = {2}};
  Arrays arrays(c);
  waiting = std::this_thread::get_id();
  set_interrupt_check([] {
    if (std::this_thread::get_id() != waiting) return true;
    here = open_error();
    std::thread([] { there = open_error(); }).join();
    return false;
  });
  inject_device_fault("ID3D12Fence::GetCompletedValue", 1);
  CHECK(device_gather(c, arrays) == expected_gather(c, arrays));
  set_interrupt_check(nullptr);
  CHECK(here.find("for a call of this thread") != std::string::npos);
  CHECK(there == "[d3d12] the wait was interrupted");
}

// In a process of its own: the devices stay stopped.
TEST_CASE("stopped devices: calls have ended, and later ones throw" * doctest::skip()) {
  static std::atomic<bool> inside{false}, left{false};
  Case c{.outer = {7}, .indexed = {3}, .slice = {2}};
  Arrays arrays(c);
  set_interrupt_check([] {
    inside = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    left = true;
    return false;
  });
  inject_device_fault("ID3D12Fence::GetCompletedValue", 1);
  std::thread thread([&] { device_gather(c, arrays); });
  while (!inside) std::this_thread::yield();
  stop_devices();
  CHECK(left);
  thread.join();
  CHECK(open_error() == "[d3d12] the devices were stopped: the process ends");
  CHECK_THROWS_AS(devices(), Error);
}

TEST_CASE("what a machine sleeps through is no wait") {
  using std::chrono::milliseconds;
  d3d12::Clock::time_point now{};
  d3d12::WaitTime time(now);
  for (int turn = 1; turn <= 10; ++turn)
    CHECK(time.until(now += milliseconds(7)) == turn * milliseconds(7));
  CHECK(time.until(now += std::chrono::hours(8)) == milliseconds(1070));
  CHECK(time.until(now) == milliseconds(1070));
}

}  // namespace
}  // namespace gathernd::testing
