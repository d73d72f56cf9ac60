#include "d3d12/gpu/interrupt.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "gathernd/error.hpp"

namespace gathernd::d3d12 {
namespace {

std::chrono::milliseconds read_limit() {
  constexpr double kDefault = 300, kMost = 1e9;  // seconds; more does not fit every clock
  const char* text = std::getenv("GATHERND_D3D12_TIMEOUT");
  const double seconds = text != nullptr ? std::atof(text) : 0;
  return std::chrono::milliseconds(
      static_cast<int64_t>(seconds > 0 ? std::min(seconds, kMost) * 1000 : kDefault * 1000));
}

}  // namespace

std::chrono::milliseconds wait_limit() {
  static const std::chrono::milliseconds limit = read_limit();
  return limit;
}

void throw_interrupted() { throw Error(ErrorKind::kDevice, "[d3d12] the wait was interrupted"); }

}  // namespace gathernd::d3d12
