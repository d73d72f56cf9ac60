// The adapters of the runtime that was found.
#pragma once

#include <memory>
#include <vector>

#include "d3d12/gpu/gpu.hpp"
#include "gathernd/device.hpp"

namespace gathernd::d3d12 {

// Empty without a runtime or an adapter.
std::vector<DeviceInfo> adapters();
std::vector<UnusableDevice> unusable_adapters();

// Throws Error(kDevice) if there is no runtime or no such adapter.
std::unique_ptr<Gpu> open_adapter(int index);

}  // namespace gathernd::d3d12
