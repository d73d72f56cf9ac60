#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "gathernd/device.hpp"
#include "gathernd/error.hpp"

namespace gathernd::testing {
namespace {

std::string open(int device) {
  try {
    d3d12_api().backend(device).open();
  } catch (const Error& error) {
    return error.what();
  }
  return "opened";
}

TEST_CASE("two threads open a device each: vkd3d is told the right one") {
  REQUIRE(devices().size() == 2);
  std::string first, second;
  std::thread other([&] { second = open(1); });
  first = open(0);
  other.join();
  CHECK(first == "[d3d12] D3D12CreateDevice failed: HRESULT 0x80040000");
  CHECK(second == "[d3d12] D3D12CreateDevice failed: HRESULT 0x80040001");
}

TEST_CASE("a device whose driver has less than Direct3D 12 guarantees is listed with the reason") {
  const std::vector<UnusableDevice> devices = unusable_devices();
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].description == "small");
  CHECK(devices[0].reason ==
        "its driver has 65536 elements of a buffer view instead of 134217728, 128 threads of a "
        "group instead of 1024");
}

}  // namespace
}  // namespace gathernd::testing
