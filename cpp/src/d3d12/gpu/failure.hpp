// Failures of D3D12 calls as exceptions, and failures that tests inject.
#pragma once

#include <cstdint>
#include <string>

#include "gathernd/error.hpp"

namespace gathernd::d3d12 {

// The call needs more than the device has, or more than a view can show.
class LimitError : public Error {
 public:
  explicit LimitError(const std::string& message) : Error(ErrorKind::kDevice, message) {}
};

class OutOfMemory : public LimitError {
 public:
  using LimitError::LimitError;
};

// If `result` is a failure, throws Error(kDevice), which names the call and the HRESULT. The error
// is OutOfMemory if the device is out of memory.
void check(int32_t result, const char* call, const std::string& what = "");

// For tests. The next check of `call` sees `result` instead, once; `after` checks come before it.
// An empty name cancels all faults.
void inject_fault(std::string call, int32_t result, int after);

// Removes and returns the injected result of `call`; returns `result` if there is none.
int32_t take_fault(const char* call, int32_t result);

}  // namespace gathernd::d3d12
