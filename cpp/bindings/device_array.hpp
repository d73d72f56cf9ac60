// Arrays in a device's memory, as Python holds them.
#pragma once

#include "gathernd/device.hpp"
#include "layout.hpp"
#include "numpy.hpp"

namespace gathernd::bindings {

struct DeviceArray {
  int device;
  DeviceMemoryPtr memory;
  py::dtype dtype;
  Dims shape;
};

// The packed tensor of a device array, for plans: it has no data.
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

}  // namespace gathernd::bindings
