#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

#include "cases.hpp"

namespace gathernd::testing {
namespace {

constexpr auto kOutOfMemory = static_cast<int32_t>(0x8007000e);
constexpr auto kRemoved = static_cast<int32_t>(0x887a0005);

// The call fails with a message that names the D3D12 call, its output is as before, and the next
// call works.
void check_fault(const std::string& call, int32_t result, const char* says) {
  CAPTURE(call);
  // More than what earlier calls left: new memory is taken.
  static int64_t length = 100000;
  length += length / 2;
  Case c{.outer = {7}, .indexed = {3}, .slice = {length}};
  Arrays arrays(c);
  inject_device_fault(call, result);
  const Answer answer = device_gather(c, arrays);
  CHECK(answer.error.find(call) != std::string::npos);
  CHECK(answer.error.find(says) != std::string::npos);
  CHECK(answer.error.find("was written") == std::string::npos);
  CHECK(check_gather(c));
  c.slice = {3};
  CHECK(check_scatter(c));
}

TEST_CASE("faults: out of memory, calls that fail") {
  check_fault("ID3D12Resource::Map", kOutOfMemory, "0x8007000e");
  inject_device_fault("ID3D12Device::CreateCommittedResource", kOutOfMemory);  // it tries twice
  check_fault("ID3D12Device::CreateCommittedResource", kOutOfMemory, "0x8007000e (out of memory)");
  check_fault("ID3D12GraphicsCommandList::Close", kOutOfMemory, "0x8007000e");
  check_fault("ID3D12CommandQueue::Signal", kRemoved, "0x887a0005");
}

TEST_CASE("faults: a device that is removed, or that never ends") {
  check_fault("ID3D12Device::GetDeviceRemovedReason", kRemoved, "0x887a0005 (device removed)");
  check_fault("ID3D12Fence::GetCompletedValue", -1, "did not finish in time");
}

TEST_CASE("faults: a device that is removed, as a call shows that does not say so") {
  Array small({Kind::kFloat32, 4}, {7}), large({Kind::kFloat32, 4}, {5 << 20});
  const DeviceMemoryPtr memory = d3d12_backend().upload(small.tensor());
  inject_device_fault("ID3D12Device::CreateCommittedResource", kRemoved);
  inject_device_fault("ID3D12Device::GetDeviceRemovedReason", kRemoved);
  CHECK_THROWS_AS(d3d12_backend().upload(large.tensor()), Error);
  CHECK_THROWS_WITH_AS(d3d12_backend().download(*memory, small.tensor(), false),
                       "[d3d12] the array is on another device, or on a lost one", Error);
  CHECK(d3d12_backend().upload(large.tensor())->bytes() == 20 << 20);
}

TEST_CASE("faults: no device can be opened, and then one can") {
  check_fault("ID3D12GraphicsCommandList::Reset", kRemoved, "0x887a0005");
  // The device above is lost: the next call opens one.
  inject_device_fault("ID3D12Fence::GetCompletedValue", -1);
  Case c{.outer = {7}, .indexed = {3}, .slice = {2}};
  Arrays arrays(c);
  device_gather(c, arrays);
  inject_device_fault("D3D12CreateDevice", kRemoved);
  CHECK(device_gather(c, arrays).error.find("D3D12CreateDevice") != std::string::npos);
  CHECK(check_gather(c));
}

TEST_CASE("faults: no adapter of that number") {
  CHECK_THROWS_WITH_AS(d3d12_backend(15).open(), "[d3d12] there is no device d3d12:15", Error);
  CHECK_THROWS_AS(d3d12_backend(-1), Error);
}

TEST_CASE("faults: a wait that is interrupted") {
  Case c{.outer = {200000}, .indexed = {1}, .slice = {4}, .reduction = Reduction::kAdd};
  Arrays arrays(c);
  set_interrupt_check([] { return true; });
  const Answer answer = device_scatter(c, arrays);
  set_interrupt_check(nullptr);
  if (!answer.error.empty()) CHECK(answer.error == "[d3d12] the wait was interrupted");
  CHECK(check_gather({.outer = {7}, .indexed = {3}, .slice = {2}}));
}

// Asks the call to stop in each of its waits in turn, until it has no more of them.
void interrupt_each_wait(const std::function<Answer()>& call,
                         const std::function<void(const Answer&, bool asked)>& look) {
  static bool asked;
  int wait = 0;
  do {
    CAPTURE(wait);
    asked = false;
    set_interrupt_check([] { return asked = true; });
    inject_device_fault("ID3D12Fence::GetCompletedValue", 1, wait++);
    const Answer answer = call();
    inject_device_fault("", 0);
    set_interrupt_check(nullptr);
    CHECK(answer.error == (asked ? "[d3d12] the wait was interrupted" : ""));
    look(answer, asked);
  } while (asked);
  CHECK(wait > 1);
}

// What is on the device stays; a call in place works to its end, others write nothing.
void check_interrupts(const Case& c) {
  Arrays arrays(c);
  const Answer expected = expected_scatter(c, arrays);
  DeviceBackend& device = d3d12_backend();
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
  interrupt_each_wait(scatter(true), [&](const Answer&, bool) {
    device.download(*table, got.tensor(), false);
    CHECK(got.bytes == expected.bytes);
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
}

TEST_CASE("faults: an interrupted call does not lose the device") {
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
}

std::string open_error() {
  try {
    d3d12_backend().open();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("faults: the device is at work, for this thread or another") {
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

}  // namespace
}  // namespace gathernd::testing
