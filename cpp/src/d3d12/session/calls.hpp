// The two operators within a session: host memory goes up, through them, and back; device memory
// stays. The operands that come hold the indices only.
#pragma once

#include "d3d12/operators/operators.hpp"
#include "d3d12/session/session.hpp"
#include "gathernd/device.hpp"

namespace gathernd::d3d12 {

// The tensor, packed, for this call.
BufferPtr upload(Session& session, const Tensor& from);

// Memory that stays with the caller. To allocate is dear beside a small call; what is large goes
// back to the device when it is freed.
BufferPtr allocate(Session& session, uint64_t bytes);

// `fresh`: nobody sees the output if this throws.
void gather_on_host(Session& session, const Plan& plan, Operands operands, const Tensor& input,
                    const Tensor& output, const std::byte* fill_value, bool fresh);
void scatter_on_host(Session& session, const Plan& plan, Operands operands, const Tensor& input,
                     const Tensor& updates, const Tensor& output, bool fresh);

// The result as new memory, or in input's own where `in_place`.
DeviceMemoryPtr gather_on_device(Session& session, const Plan& plan, Operands operands,
                                 DeviceMemory& input, const std::byte* fill_value);
DeviceMemoryPtr scatter_on_device(Session& session, const Plan& plan, Operands operands,
                                  const DeviceMemoryPtr& input, DeviceMemory& updates,
                                  bool in_place);

}  // namespace gathernd::d3d12
