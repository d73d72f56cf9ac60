#include <doctest/doctest.h>

#include <string>
#include <thread>

#include "gathernd/device.hpp"
#include "gathernd/error.hpp"

namespace gathernd::testing {
namespace {

std::string open(int device) {
  try {
    d3d12_backend(device).open();
  } catch (const Error& error) {
    return error.what();
  }
  return "opened";
}

TEST_CASE("two threads open a device each: vkd3d is told the right one") {
  REQUIRE(d3d12_devices().size() == 2);
  std::string first, second;
  std::thread other([&] { second = open(1); });
  first = open(0);
  other.join();
  CHECK(first == "[d3d12] D3D12CreateDevice failed: HRESULT 0x80040000");
  CHECK(second == "[d3d12] D3D12CreateDevice failed: HRESULT 0x80040001");
}

}  // namespace
}  // namespace gathernd::testing
