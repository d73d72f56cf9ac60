// Replaces the backend if the library is built without D3D12.
#include "gathernd/device.hpp"
#include "gathernd/error.hpp"

namespace gathernd {

namespace {

class NoApi final : public DeviceApi {
 public:
  const char* name() const override { return "d3d12"; }
  std::vector<DeviceInfo> devices() override { return {}; }
  std::vector<UnusableDevice> unusable_devices() override { return {}; }
  DeviceBackend& backend(int) override {
    throw Error(ErrorKind::kDevice,
                "[d3d12] this build has no D3D12 support; on Windows and Linux build gathernd with "
                "GATHERND_D3D12=ON, or install the DirectX-Headers first (Debian and Ubuntu: "
                "directx-headers-dev)");
  }
  uint64_t release_memory() noexcept override { return 0; }
  void stop() override {}
};

constinit NoApi api;

}  // namespace

DeviceApi& d3d12_api() { return api; }

void inject_device_fault(const std::string&, int32_t, int) {}
void force_device_gather(std::string_view) {}
void force_device_scatter(std::string_view) {}

}  // namespace gathernd
