// Results of D3D12 calls, as exceptions; and failures that tests ask for.
#pragma once

#include <cstdint>
#include <string>

#include "gathernd/error.hpp"

namespace gathernd::d3d12 {

// More than the device has, or than a view of it shows.
class LimitError : public Error {
 public:
  explicit LimitError(const std::string& message) : Error(ErrorKind::kDevice, message) {}
};

class OutOfMemory : public LimitError {
 public:
  using LimitError::LimitError;
};

// Throws Error(kDevice) that names the call and the HRESULT if it is a failure: OutOfMemory if it
// is that.
void check(int32_t result, const char* call, const std::string& what = "");

// The check of `call` after so many sees `result` instead, once. An empty name takes all such
// wishes back. For tests.
void inject_fault(std::string call, int32_t result, int after);

// The injected result of `call`, taken away; else `result`.
int32_t take_fault(const char* call, int32_t result);

}  // namespace gathernd::d3d12
