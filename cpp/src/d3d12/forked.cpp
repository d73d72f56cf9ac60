#include "forked.hpp"

#include <atomic>

#include "gathernd/error.hpp"
#include "platform.hpp"

namespace gathernd::d3d12 {
namespace {

constinit std::atomic<int> process{0};  // the last one that had a thread at the drivers
constinit std::atomic<int> users{0};
constinit std::atomic<bool> loaded{false};

}  // namespace

void enter_drivers() {
  if (!is_forked()) process = process_id();
  ++users;
}

void leave_drivers() { --users; }

int threads_at_drivers() { return users; }

void set_loaded(bool value) { loaded = value; }

bool is_forked() { return (loaded || users != 0) && process != process_id(); }

void check_not_forked() {
  if (!is_forked()) return;
  throw Error(ErrorKind::kDevice,
              "[d3d12] this process was forked after its parent had used D3D12, and drivers do not "
              "survive that: start it with \"spawn\", or use the CPU");
}

}  // namespace gathernd::d3d12
