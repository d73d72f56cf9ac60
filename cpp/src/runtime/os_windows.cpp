#include <algorithm>
#include <thread>

#include "runtime/os.hpp"

namespace gathernd {

int allowed_processors() {
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

uint64_t second_level_cache() { return 0; }

void with_signals_blocked(FunctionRef<void()> f) { f(); }

bool call_in_children(void (*)()) { return false; }

}  // namespace gathernd
