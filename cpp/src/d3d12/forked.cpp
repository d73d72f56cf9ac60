#include "forked.hpp"

#include <atomic>

#include "gathernd/error.hpp"
#include "platform.hpp"

namespace gathernd::d3d12 {
namespace {

std::atomic<int> loaded_in{0};  // the process whose drivers they are

}  // namespace

void set_loaded(bool loaded) { loaded_in = loaded ? process_id() : 0; }

bool is_forked() { return loaded_in != 0 && loaded_in != process_id(); }

void check_not_forked() {
  if (!is_forked()) return;
  throw Error(ErrorKind::kDevice,
              "[d3d12] this process was forked after its parent had used D3D12, and drivers do not "
              "survive that: start it with \"spawn\", or use the CPU");
}

}  // namespace gathernd::d3d12
