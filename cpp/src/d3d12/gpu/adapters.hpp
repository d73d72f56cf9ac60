// The adapters of the D3D12 runtime.
#pragma once

#include <memory>
#include <vector>

#include "d3d12/gpu/gpu.hpp"
#include "gathernd/device.hpp"

namespace gathernd::d3d12 {

// Empty if there is no runtime or no adapter.
std::vector<DeviceInfo> adapters();
std::vector<UnusableDevice> unusable_adapters();

// Throws Error(kDevice) if there is no runtime or no such adapter.
std::unique_ptr<Gpu> open_adapter(int index);

}  // namespace gathernd::d3d12
