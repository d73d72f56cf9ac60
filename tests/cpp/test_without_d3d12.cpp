#include <doctest/doctest.h>

#include "gathernd/device.hpp"
#include "gathernd/error.hpp"

namespace gathernd {
namespace {

TEST_CASE("a build without D3D12 lists no device, and says how to get one") {
  CHECK(devices().empty());
  CHECK(unusable_devices().empty());
  try {
    find_device("d3d12");
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kDevice);
    const std::string message = error.what();
    CHECK(message.find("GATHERND_D3D12=ON") != std::string::npos);
    CHECK(message.find("directx-headers-dev") != std::string::npos);
  }
}

}  // namespace
}  // namespace gathernd
