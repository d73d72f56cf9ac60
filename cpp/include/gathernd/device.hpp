// D3D12 devices. Where the library was built without them, none is listed and every call throws.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
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

// Tuples that a device has checked and resolved, and their order once a reduction has needed it.
class DeviceTuples {
 public:
  virtual ~DeviceTuples() = default;
  virtual uint64_t bytes() const = 0;
  // Where below 0: the indices as they came. Else they are uint32 slots, each a row of a table of
  // so many, or past its end for a tuple that is left out.
  virtual int64_t rows() const = 0;
  virtual DeviceMemory& indices() = 0;
};
using DeviceTuplesPtr = std::shared_ptr<DeviceTuples>;

// A backend that has memory of its own. Plans for device memory are made from packed tensors
// without data.
class DeviceBackend : public Backend {
 public:
  // Opens the device: throws Error(kDevice) if that fails. Every other call does it by itself.
  virtual void open() = 0;

  virtual DeviceMemoryPtr upload(const Tensor& from) = 0;
  // All of `to` is written, or nothing; `fresh`: nobody sees it if this throws.
  virtual void download(DeviceMemory& from, const Tensor& to, bool fresh) = 0;

  // The result as new memory.
  virtual DeviceMemoryPtr gather(const Plan& plan, DeviceMemory& input, DeviceMemory& indices,
                                 const std::byte* fill_value) = 0;
  // The result as new memory, or in input's own where `in_place`.
  virtual DeviceMemoryPtr scatter(const Plan& plan, const DeviceMemoryPtr& input,
                                  DeviceMemory& indices, DeviceMemory& updates, bool in_place) = 0;

  // For calls whose plans differ from this one in element type, reduction and duplicates only.
  virtual DeviceTuplesPtr prepare(const Plan& plan, DeviceMemory& indices) = 0;

  // The four again, by such tuples.
  virtual void gather(const Plan& plan, const Tensor& input, DeviceTuples& tuples,
                      const Tensor& output, const std::byte* fill_value, bool fresh) = 0;
  virtual void scatter(const Plan& plan, const Tensor& input, DeviceTuples& tuples,
                       const Tensor& updates, const Tensor& output, bool fresh) = 0;
  virtual DeviceMemoryPtr gather(const Plan& plan, DeviceMemory& input, DeviceTuples& tuples,
                                 const std::byte* fill_value) = 0;
  virtual DeviceMemoryPtr scatter(const Plan& plan, const DeviceMemoryPtr& input,
                                  DeviceTuples& tuples, DeviceMemory& updates, bool in_place) = 0;

  using Backend::gather;
  using Backend::scatter;
};

// The D3D12 devices of this machine; none is an answer, not an error.
std::vector<DeviceInfo> d3d12_devices();

// The adapters of this machine that are no such devices, and why: "its driver has 256 threads of a
// group instead of 1024".
struct UnusableDevice {
  std::string description;
  std::string reason;
};
std::vector<UnusableDevice> unusable_d3d12_devices();

// The backend of device `index`. Throws Error(kDevice) that says what was looked for if there is no
// runtime or no such device, now or at its first use.
DeviceBackend& d3d12_backend(int index = 0);

// Gives back the memory that devices keep for their next call, if they are not at work now; returns
// its bytes.
uint64_t release_device_memory() noexcept;

// A Ctrl-C hook: asked now and then while a device works; true ends the call with an Error, and
// nothing is written. A call that has begun to write is not asked any more: it runs to its end.
void set_interrupt_check(bool (*check)());

// For the end of the process, where the drivers' code may go before the threads that run it. Asks
// all calls to end and waits for that, some seconds at most; later ones throw.
void stop_devices();

// A D3D12 call of this name, such as "ID3D12Device::CreateCommittedResource", fails with `result`,
// once: the next one, or that after so many more. An empty name takes all such back. For tests.
void inject_device_fault(const std::string& call, int32_t result, int after = 0);

}  // namespace gathernd
