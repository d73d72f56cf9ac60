// Replaces the backend if the library is built without D3D12.
#include "gathernd/device.hpp"
#include "gathernd/error.hpp"

namespace gathernd {

std::vector<DeviceInfo> d3d12_devices() { return {}; }

std::vector<UnusableDevice> unusable_d3d12_devices() { return {}; }

DeviceBackend& d3d12_backend(int) {
  throw Error(ErrorKind::kDevice,
              "[d3d12] this build has no D3D12 support; on Windows and Linux build gathernd with "
              "GATHERND_D3D12=ON, or install the DirectX-Headers first (Debian and Ubuntu: "
              "directx-headers-dev)");
}

uint64_t release_device_memory() noexcept { return 0; }

void set_interrupt_check(bool (*)()) {}

void stop_devices() {}

void inject_device_fault(const std::string&, int32_t, int) {}

}  // namespace gathernd
