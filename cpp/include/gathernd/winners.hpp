// Winners: for each element of a scatter_nd's result, the update that it came from.
#pragma once

#include <cstdint>

#include "gathernd/device.hpp"
#include "gathernd/gathernd.hpp"

namespace gathernd {

// A packed tensor without data, and the memory of its elements on a device.
struct DeviceTensor {
  Tensor tensor;
  DeviceMemoryPtr memory;
};

// Writes winners[e] for each element e of `result`, in C order: the position, in C order of the
// tuples, of the update that stayed there, or `none`. `result` is that of scatter_nd with the same
// arguments. `winners` shares no memory with the arguments. Runs on the CPU.
// - kNone: options.duplicates decides; kAny is as kLast. `result` gives only the shape and type.
// - kMin, kMax: the first update with the result's bits; all NaNs count as equal.
// - Other reductions throw Error(kValue).
void find_winners(const Tensor& result, const Indices& indices, const Tensor& updates,
                  int64_t* winners, const ScatterOptions& options, int64_t none = -1);

// Checks every rule on shapes, types and options. The tensors are packed, for the next function.
Plan plan_winners(const Tensor& input, const Indices& indices, const Tensor& updates,
                  const ScatterOptions& options);

// The same on a device, as new memory, with -1 where there is none. `input` is that of scatter_nd,
// and `plan` that of plan_winners. kNone reads neither input nor updates: their memory may be null.
DeviceMemoryPtr find_winners(DeviceBackend& device, const Plan& plan, const DeviceTensor& input,
                             const DeviceTensor& indices, const DeviceTensor& updates);

}  // namespace gathernd
