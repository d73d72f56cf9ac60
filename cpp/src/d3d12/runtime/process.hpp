// When this process may use drivers. They do not survive a fork (NVIDIA's waits for ever), and at
// the end of the process their code may be unloaded before the threads that run it end.
#pragma once

namespace gathernd::d3d12 {

// Lives while a thread uses the drivers, from before the first lock that it takes: in a child that
// is forked meanwhile, these locks are held by a thread that does not exist. The constructor throws
// once the process ends.
class AtWork {
 public:
  AtWork();
  ~AtWork();
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

  static bool any();
  static void end();  // later constructors throw
};

// Records whether drivers are loaded, or being loaded. Called by a thread that is at work.
void set_loaded(bool loaded);

// Whether this process was forked while drivers were loaded or a thread was at work. Takes no lock.
bool is_forked();
void check_not_forked();  // throws Error(kDevice)

}  // namespace gathernd::d3d12
