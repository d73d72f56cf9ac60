#include <doctest/doctest.h>

#include "gathernd/device.hpp"
#include "gathernd/error.hpp"

namespace gathernd {
namespace {

TEST_CASE("a build without D3D12 lists no device, and says how to get one") {
  CHECK(d3d12_devices().empty());
  CHECK(unusable_d3d12_devices().empty());
  try {
    d3d12_backend();
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
