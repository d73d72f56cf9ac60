// The two operators within a session. Host memory is uploaded, processed and downloaded; device
// memory stays on the device. The operands that callers pass hold only the indices.
#pragma once

#include "d3d12/operators/operators.hpp"
#include "d3d12/session/session.hpp"
#include "gathernd/device.hpp"

namespace gathernd::d3d12 {

// The buffer of the plan's packed indices.
const BufferPtr& indices_of(const Plan& plan, DeviceMemory& memory);

// Uploads the packed tensor for this call.
BufferPtr upload(Session& session, const Tensor& from);

// Memory that the caller keeps. Small buffers come from the pool, because an allocation costs more
// than a small call. Large ones are allocated, and go back to the device when they are freed.
BufferPtr allocate(Session& session, uint64_t bytes);

// `fresh`: nobody sees the output if this throws.
void gather_on_host(Session& session, const Plan& plan, Operands operands, const Tensor& input,
                    const Tensor& output, const std::byte* fill_value, bool fresh);
void scatter_on_host(Session& session, const Plan& plan, Operands operands, const Tensor& input,
                     const Tensor& updates, const Tensor& output, bool fresh);

// The result as new memory, or in input's own memory if `in_place`.
DeviceMemoryPtr gather_on_device(Session& session, const Plan& plan, Operands operands,
                                 DeviceMemory& input, const std::byte* fill_value);
DeviceMemoryPtr scatter_on_device(Session& session, const Plan& plan, Operands operands,
                                  const DeviceMemoryPtr& input, DeviceMemory& updates,
                                  bool in_place);

}  // namespace gathernd::d3d12
