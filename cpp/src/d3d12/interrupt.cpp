#include "interrupt.hpp"

#include <atomic>
#include <cstdlib>

#include "gathernd/device.hpp"
#include "gathernd/error.hpp"

namespace gathernd::d3d12 {
namespace {

std::atomic<bool (*)()> interrupt_check{nullptr};

}  // namespace

std::chrono::milliseconds wait_limit() {
  const char* text = std::getenv("GATHERND_D3D12_TIMEOUT");
  const double seconds = text != nullptr ? std::atof(text) : 0;
  return std::chrono::milliseconds(seconds > 0 ? static_cast<int64_t>(seconds * 1000) : 300'000);
}

bool interrupted() {
  bool (*const check)() = interrupt_check;
  return check != nullptr && check();
}

void throw_interrupted() { throw Error(ErrorKind::kDevice, "[d3d12] the wait was interrupted"); }

}  // namespace gathernd::d3d12

void gathernd::set_interrupt_check(bool (*check)()) { d3d12::interrupt_check = check; }
