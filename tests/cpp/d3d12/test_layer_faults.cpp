// Calls of Vulkan that fail beneath vkd3d, in a process with the layer of fault_layer.cpp.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <thread>

#include "answers.hpp"
#include "d3d12/runtime/platform.hpp"
#include "fault_layer.hpp"
#include "gathernd/device.hpp"
#include "gathernd/error.hpp"
#include "tuning.hpp"

namespace gathernd::testing {
namespace {

using std::chrono::milliseconds;

// The layer, as the loader of Vulkan has opened it.
struct Layer {
  Layer() {
    std::string why;
    void* const library = d3d12::open_library(std::getenv("GATHERND_FAULT_LAYER"), &why);
    REQUIRE_MESSAGE(library != nullptr, why);
    find(library, "fault_layer_name", &name);
    find(library, "fault_layer_arm", &arm);
    find(library, "fault_layer_disarm", &disarm);
    find(library, "fault_layer_powers_of_two", &powers_of_two);
  }

  template <class F>
  static void find(void* library, const char* symbol, F* function) {
    *function = reinterpret_cast<F>(d3d12::find_symbol(library, symbol));
    const bool found = *function != nullptr;
    REQUIRE(found);
  }

  decltype(&fault_layer_name) name;
  decltype(&fault_layer_arm) arm;
  decltype(&fault_layer_disarm) disarm;
  decltype(&fault_layer_powers_of_two) powers_of_two;
};

// GATHERND_FAULT_STRIDE=1 tries every call of each function.
int stride(int usual) {
  const char* text = std::getenv("GATHERND_FAULT_STRIDE");
  return text != nullptr ? std::atoi(text) : usual;
}

int number_of(const Layer& layer, const std::string& function) {
  for (int i = 0; layer.name(i) != nullptr; ++i) {
    if (layer.name(i) == function) return i;
  }
  FAIL("the layer has no such function");
  return -1;
}

struct Call {
  Case c;
  Answer (*run)(const Case&, Arrays&);
  Answer (*expected)(const Case&, Arrays&);
};

const Call kCalls[] = {
    {{.outer = {40}, .indexed = {50}, .slice = {9}}, device_gather, expected_gather},
    {{.outer = {90},
      .indexed = {7},
      .slice = {5},
      .dtype = {Kind::kInt32, 4},
      .reduction = Reduction::kAdd},
     device_scatter,
     expected_scatter},
    {{.outer = {60}, .indexed = {30}, .slice = {3}, .duplicates = Duplicates::kError},
     device_memory_scatter,
     expected_scatter},
};

// The next call finds a device that has nothing yet.
void open_another() {
  inject_device_fault("ID3D12Fence::GetCompletedValue", -1);
  Array array({Kind::kInt32, 4}, {1});
  CHECK_THROWS_AS(d3d12_api().backend(0).upload(array.tensor()), Error);
}

// The function fails at each `step`th of its calls in turn, until a call does not come to that. The
// result is right, or an error is raised and nothing is written; and the next call is right.
int fail_each(const Layer& layer, int function, const Call& call, int step, bool anew) {
  Arrays arrays(call.c);
  const Answer expected = call.expected(call.c, arrays);
  int tried = 0;
  for (int after = 0;; after += step, ++tried) {
    CAPTURE(layer.name(function));
    CAPTURE(after);
    if (anew) open_another();
    layer.arm(function, after);
    const Answer answer = call.run(call.c, arrays);
    const bool failed = layer.disarm() != 0;
    if (answer != expected) {
      CHECK(failed);
      CHECK(answer.error.starts_with("[d3d12] "));
      CHECK(answer.error.find("was written") == std::string::npos);
    }
    CHECK(call.run(call.c, arrays) == expected);
    if (!failed) return tried;
  }
}

TEST_CASE("layer: a device is lost at each wait and at each submission" * doctest::skip()) {
  const Layer layer;
  for (const char* function : {"vkWaitForFences", "vkQueueSubmit"}) {
    for (const Call& call : kCalls) {
      const SmallPieces small(1 << 20);  // many submissions
      CHECK(fail_each(layer, number_of(layer, function), call, stride(13), false) > 0);
    }
  }
}

TEST_CASE("layer: each function of Vulkan that takes memory fails" * doctest::skip()) {
  const Layer layer;
  for (int i = 0; layer.name(i) != nullptr; ++i) {
    const std::string name = layer.name(i);
    if (name == "vkWaitForFences" || name == "vkQueueSubmit") continue;
    for (const Call& call : kCalls) {
      CHECK(fail_each(layer, i, call, stride(4), true) > 0);
    }
  }
}

TEST_CASE("layer: a lost device is noticed soon, and nothing of it runs on" * doctest::skip()) {
  const Layer layer;
  const Case large{.outer = {400000}, .indexed = {1}, .slice = {4}, .reduction = Reduction::kAdd};
  Arrays arrays(large);
  for (const char* function : {"vkWaitForFences", "vkQueueSubmit"}) {
    CHECK(device_scatter(large, arrays).error.empty());
    const auto usual = std::chrono::steady_clock::now();
    CHECK(device_scatter(large, arrays).error.empty());
    const auto took = std::chrono::steady_clock::now() - usual;
    layer.arm(number_of(layer, function), 0);
    const auto start = std::chrono::steady_clock::now();
    CHECK(device_scatter(large, arrays).error.starts_with("[d3d12] "));
    CHECK(layer.disarm() != 0);
    CHECK(std::chrono::steady_clock::now() - start < 2 * took + std::chrono::seconds(3));
    const std::clock_t before = std::clock();
    std::this_thread::sleep_for(milliseconds(500));
    CHECK(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC < 0.25);
  }
}

TEST_CASE("layer: a lost device lets go of arrays that callers hold" * doctest::skip()) {
  const Layer layer;
  Array array({Kind::kInt32, 4}, {1000});
  const DeviceMemoryPtr held = d3d12_api().backend(0).upload(array.tensor());
  layer.arm(number_of(layer, "vkQueueSubmit"), 0);
  CHECK_THROWS_AS(d3d12_api().backend(0).upload(array.tensor()), Error);
  CHECK(layer.disarm() != 0);
  CHECK_THROWS_WITH_AS(d3d12_api().backend(0).download(*held, array.tensor(), true),
                       "[d3d12] the array or plan was lost with its device: "
                       "ID3D12CommandQueue::Signal failed: HRESULT 0x80004005",
                       Error);
}

// Else it compiles a shader once for each combination of buffers whose sizes are and are not.
TEST_CASE("layer: on Mesa's software device no size of a buffer is a power of two" *
          doctest::skip()) {
  const Layer layer;
  const std::string device = d3d12_api().devices().at(0).description;
  if (device.find("llvmpipe") == std::string::npos) {
    MESSAGE("skipped: the device is ", device);
    return;
  }
  open_another();
  Case c{.slice = {1}, .dtype = {Kind::kInt32, 4}, .reduction = Reduction::kAdd};
  const auto run = [&](int64_t rows) {
    c.indexed = c.outer = {rows};
    Arrays arrays(c);
    CHECK(device_scatter(c, arrays) == expected_scatter(c, arrays));
  };
  run(1);
  const int before = layer.powers_of_two();
  for (int64_t rows = 64; rows < (1 << 18); rows *= 4) run(rows);
  CHECK(layer.powers_of_two() == before);
}

}  // namespace
}  // namespace gathernd::testing
