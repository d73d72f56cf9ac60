#include "d3d12/gpu/failure.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <utility>
#include <vector>

#include "core/lazy.hpp"

namespace gathernd::d3d12 {
namespace {

constexpr uint32_t kOutOfMemory = 0x8007000e;

struct Fault {
  std::string call;
  int32_t result;
  int after;
};

std::mutex faults_mutex;
constinit ForeverShared<std::vector<Fault>> faults;

const char* meaning(uint32_t result) {
  switch (result) {
    case kOutOfMemory:
      return " (out of memory)";
    case 0x80070057:
      return " (invalid argument)";
    case 0x80004001:
      return " (not implemented)";
    case 0x887a0004:
      return " (unsupported)";
    case 0x887a0005:
      return " (device removed)";
    case 0x887a0006:
      return " (device hung)";
    case 0x887a0007:
      return " (device reset)";
    case 0x887a0020:
      return " (driver internal error)";
    default:
      return "";
  }
}

}  // namespace

void check(int32_t result, const char* call, const std::string& what) {
  result = take_fault(call, result);
  if (result >= 0) return;
  const auto code = static_cast<uint32_t>(result);
  char number[16];
  std::snprintf(number, sizeof number, "0x%08x", static_cast<unsigned>(code));
  const std::string message = std::string("[d3d12] ") + call + (what.empty() ? "" : " of " + what) +
                              " failed: HRESULT " + number + meaning(code);
  if (code == kOutOfMemory) throw OutOfMemory(message);
  throw Error(ErrorKind::kDevice, message);
}

void inject_fault(std::string call, int32_t result, int after) {
  std::lock_guard lock(faults_mutex);
  if (call.empty()) return faults.get().clear();
  faults.get().push_back({std::move(call), result, after});
}

int32_t take_fault(const char* call, int32_t result) {
  if (faults.peek() == nullptr) return result;
  std::lock_guard lock(faults_mutex);
  auto& all = faults.get();
  const auto fault = std::ranges::find(all, call, &Fault::call);
  if (fault == all.end() || fault->after-- > 0) return result;
  result = fault->result;
  all.erase(fault);
  return result;
}

}  // namespace gathernd::d3d12
