// Processes that cannot use the devices: drivers do not survive a fork (NVIDIA's waits for ever).
#pragma once

namespace gathernd::d3d12 {

// Whether drivers are in this process, or are being loaded.
void set_loaded(bool loaded);

// Whether this process was forked when they were.
bool is_forked();
void check_not_forked();  // throws Error(kDevice)

}  // namespace gathernd::d3d12
