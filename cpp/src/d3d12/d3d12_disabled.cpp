// In place of the backend where the library is built with GATHERND_D3D12=OFF.
#include "gathernd/device.hpp"
#include "gathernd/error.hpp"

namespace gathernd {

std::vector<DeviceInfo> d3d12_devices() { return {}; }

DeviceBackend& d3d12_backend(int) {
  throw Error(ErrorKind::kDevice,
              "[d3d12] this build has no D3D12 support: it was made with GATHERND_D3D12=OFF, or "
              "without the DirectX-Headers");
}

void set_interrupt_check(bool (*)()) {}

void inject_device_fault(const std::string&, int32_t, int) {}

}  // namespace gathernd
