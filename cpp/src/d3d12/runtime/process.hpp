// What this process may do with drivers: they do not survive a fork (NVIDIA's waits for ever), and
// at the end of the process their code may go before the threads that run it.
#pragma once

namespace gathernd::d3d12 {

// While a thread is at the drivers, from before the first lock that it takes: a child that is
// forked meanwhile finds such locks taken by a thread that it does not have. Throws once the
// process ends.
class AtWork {
 public:
  AtWork();
  ~AtWork();
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

  static bool any();
  static void end();  // later ones throw
};

// Whether drivers are in this process, or are being loaded. By a thread that is at work.
void set_loaded(bool loaded);

// Whether this process was forked when they were, or when a thread was at work. Takes no lock.
bool is_forked();
void check_not_forked();  // throws Error(kDevice)

}  // namespace gathernd::d3d12
