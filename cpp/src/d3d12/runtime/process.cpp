#include "d3d12/runtime/process.hpp"

#include <atomic>

#include "d3d12/runtime/platform.hpp"
#include "gathernd/error.hpp"

namespace gathernd::d3d12 {
namespace {

constinit std::atomic<int> process{0};  // the last process that had a thread at work
constinit std::atomic<int> at_work{0};
constinit std::atomic<bool> loaded{false};
constinit std::atomic<bool> ends{false};

}  // namespace

AtWork::AtWork() {
  if (!is_forked()) process = process_id();
  ++at_work;
  if (!ends) return;
  --at_work;
  throw Error(ErrorKind::kDevice, "[d3d12] the devices were stopped: the process ends");
}

AtWork::~AtWork() { --at_work; }

bool AtWork::any() { return at_work != 0; }

void AtWork::end() { ends = true; }

void set_loaded(bool value) {
  if (value) process = process_id();  // a load may also happen outside of a call
  loaded = value;
}

bool is_forked() { return (loaded || at_work != 0) && process != process_id(); }

void check_not_forked() {
  if (!is_forked()) return;
  throw Error(ErrorKind::kDevice,
              "[d3d12] this process was forked after its parent had used D3D12, and drivers do not "
              "survive that: start it with \"spawn\", or use the CPU");
}

}  // namespace gathernd::d3d12
