// Arrays in device memory, as Python holds them.
#pragma once

#include <optional>

#include "core/layout.hpp"
#include "gathernd/device.hpp"
#include "numpy.hpp"

namespace gathernd::bindings {

struct DeviceArray {
  DeviceBackend* device;
  DeviceMemoryPtr memory;
  py::dtype dtype;
  Dims shape;
};

// The packed tensor of a device array, without data, for plans.
class PackedView {
 public:
  PackedView(const py::dtype& dtype, const Dims& shape, Operator op, const char* what)
      : shape_(shape), dtype_(to_dtype(dtype, name(op), what)) {
    strides_ = c_strides(shape_, dtype_.size);
  }
  PackedView(const DeviceArray& array, Operator op, const char* what)
      : PackedView(array.dtype, array.shape, op, what) {}

  Tensor tensor() const { return {nullptr, dtype_, shape_, strides_}; }

 private:
  Dims shape_;
  Dims strides_;
  DType dtype_;
};

// An argument of a call on a device: an array there, or a host array, which is sent there only
// after the rules on all arguments have been checked.
class DeviceArgument {
 public:
  // `input`: the dtype that updates must have.
  DeviceArgument(const py::object& value, Operator op, const char* what,
                 const py::dtype* input = nullptr);

  const py::dtype& dtype() const { return dtype_; }
  Tensor tensor() const { return view_->tensor(); }
  // Call this after the last Python code of the call.
  void check_unchanged() const;
  // Returns the memory on the device. The GIL is not needed.
  DeviceMemoryPtr send(DeviceBackend& device) const;

 private:
  py::dtype dtype_;
  DeviceMemoryPtr memory_;
  std::optional<ArrayView> host_;
  std::optional<PackedView> view_;
};

// Throws if there is no such device.
DeviceBackend& device_named(const std::string& name);

// Throws if an array on a device cannot take the result.
void check_device_out(Operator op, const DeviceArray* out, const py::dtype& dtype,
                      std::span<const int64_t> shape);

}  // namespace gathernd::bindings
