// Processes that cannot use the devices: drivers do not survive a fork (NVIDIA's waits for ever).
#pragma once

namespace gathernd::d3d12 {

// Around what a thread does with drivers, from before the first lock that it takes: a child that is
// forked meanwhile finds such locks taken by a thread that it does not have.
void enter_drivers();
void leave_drivers();
int threads_at_drivers();

// Whether drivers are in this process, or are being loaded. By a thread that has entered.
void set_loaded(bool loaded);

// Whether this process was forked when they were, or when a thread was at them. Takes no lock.
bool is_forked();
void check_not_forked();  // throws Error(kDevice)

}  // namespace gathernd::d3d12
