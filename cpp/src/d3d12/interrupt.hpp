// What ends a wait for the device early.
#pragma once

#include <chrono>

namespace gathernd::d3d12 {

// GATHERND_D3D12_TIMEOUT in seconds, or five minutes: slow software devices are devices too.
std::chrono::milliseconds wait_limit();

// Whether the hook of set_interrupt_check asks to stop.
bool interrupted();

}  // namespace gathernd::d3d12
