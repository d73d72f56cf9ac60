// Devices: their backends, their memory, their names.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gathernd/backend.hpp"

namespace gathernd {

struct DeviceInfo {
  std::string name;         // "d3d12:0"
  std::string description;  // the adapter
  std::string runtime;      // the shared library
  uint64_t memory = 0;      // bytes, 0 if unknown
};

// Packed elements on a device.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual uint64_t bytes() const = 0;
};
using DeviceMemoryPtr = std::shared_ptr<DeviceMemory>;

// Prepared tuples on a device, for calls on its memory.
class DeviceTuples : public PreparedTuples {
 public:
  using PreparedTuples::gather;
  using PreparedTuples::scatter;

  // As in DeviceBackend.
  virtual DeviceMemoryPtr gather(const Plan& plan, DeviceMemory& input,
                                 const std::byte* fill_value) = 0;
  virtual DeviceMemoryPtr scatter(const Plan& plan, const DeviceMemoryPtr& input,
                                  DeviceMemory& updates, bool in_place) = 0;
};

// A backend with memory of its own. A plan for device memory is made from packed tensors without
// data. Memory of another backend must not be given; too little of its own is an Error.
class DeviceBackend : public Backend {
 public:
  // Opens the device; throws Error(kDevice) if that fails. Every other call opens it if needed.
  virtual void open() = 0;
  virtual std::string name() const = 0;  // "d3d12:0"

  virtual DeviceMemoryPtr upload(const Tensor& from) = 0;
  // All of `to` is written, or nothing; `fresh`: nobody sees it if this throws.
  virtual void download(DeviceMemory& from, const Tensor& to, bool fresh) = 0;

  // The result as new memory.
  virtual DeviceMemoryPtr gather(const Plan& plan, DeviceMemory& input, DeviceMemory& indices,
                                 const std::byte* fill_value) = 0;
  // The result as new memory, or in input's own memory if `in_place`.
  virtual DeviceMemoryPtr scatter(const Plan& plan, const DeviceMemoryPtr& input,
                                  DeviceMemory& indices, DeviceMemory& updates, bool in_place) = 0;
  // The same with indices of the host, of which the plan knows the strides.
  virtual DeviceMemoryPtr gather(const Plan& plan, DeviceMemory& input, const Indices& indices,
                                 const std::byte* fill_value) = 0;
  virtual DeviceMemoryPtr scatter(const Plan& plan, const DeviceMemoryPtr& input,
                                  const Indices& indices, DeviceMemory& updates, bool in_place) = 0;

  // The row, as int64_t, of each element that is the same in both, else -1: the bits are those of a
  // result of min or max. Rows have `width` elements, of a type that has min and max there.
  virtual DeviceMemoryPtr match(DType dtype, DeviceMemory& a, DeviceMemory& b, int64_t rows,
                                int64_t width) = 0;

  // Backend::prepare returns DeviceTuples, and so does this for indices on the device.
  virtual std::unique_ptr<PreparedTuples> prepare(const Plan& plan, DeviceMemory& indices) = 0;

  using Backend::gather;
  using Backend::prepare;
  using Backend::scatter;
};

// An adapter of this machine that cannot be used, and why: "its driver has 256 threads of a group
// instead of 1024".
struct UnusableDevice {
  std::string description;
  std::string reason;
};

// An API with devices. A library built without it lists none, and backend() throws.
class DeviceApi {
 public:
  // "d3d12": its devices are "d3d12:0", "d3d12:1" ...
  virtual const char* name() const = 0;
  // Those of this machine. An empty list is no error.
  virtual std::vector<DeviceInfo> devices() = 0;
  virtual std::vector<UnusableDevice> unusable_devices() = 0;
  // If there is no runtime or no such device, this or its first use throws Error(kDevice), which
  // says what was looked for.
  virtual DeviceBackend& backend(int index) = 0;
  virtual uint64_t release_memory() noexcept = 0;  // as release_device_memory
  virtual void stop() = 0;                         // as stop_devices

 protected:
  ~DeviceApi() = default;  // not virtual: an API lives on while the process exits
};

DeviceApi& d3d12_api();

// The devices of all APIs.
std::vector<DeviceInfo> devices();
std::vector<UnusableDevice> unusable_devices();

// The device of a name; the name of an API is its first device. Null if it is no device of this
// machine; throws Error(kDevice) if the API has none, which says what was looked for.
DeviceBackend* find_device(std::string_view name);

// Releases the memory that devices keep for their next call, except devices that are at work now.
// Returns the number of bytes.
uint64_t release_device_memory() noexcept;

// Sets a Ctrl-C hook, which is called now and then while a device works and must not throw. If it
// returns true, the call ends with an Error and nothing is written. A call that has begun to write
// runs to its end.
void set_interrupt_check(bool (*check)());
bool is_interrupted();  // for backends: what the hook returns, or false if there is none

// For the end of the process, when the drivers' code may be unloaded before the threads that run
// it. Asks all calls to end and waits for them, some eleven seconds at most. Later calls throw.
void stop_devices();

// For tests. The next D3D12 call of this name, such as "ID3D12Device::CreateCommittedResource",
// fails once with `result`; `after` calls succeed before it. An empty name cancels all faults.
void inject_device_fault(const std::string& call, int32_t result, int after = 0);

// For tests and benchmarks: calls on D3D12 devices go this way if they can; "": as chosen. The ways
// are those of d3d12/operators/strategy.hpp. Throws Error(kValue) if there is no such way, or none
// that can be forced. No call may run meanwhile.
void force_device_gather(std::string_view way);
void force_device_scatter(std::string_view way);

}  // namespace gathernd
