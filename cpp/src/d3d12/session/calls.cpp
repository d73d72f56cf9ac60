#include "d3d12/session/calls.hpp"

#include <algorithm>

#include "core/layout.hpp"
#include "d3d12/gpu/tuning.hpp"
#include "d3d12/memory/device_memory.hpp"
#include "d3d12/memory/pack.hpp"
#include "d3d12/operators/touched.hpp"

namespace gathernd::d3d12 {
namespace {

void finish(Session& session, Resolver& resolver, Buffer& result, const Tensor& output,
            bool fresh) {
  const Memory::Status status = {*resolver.status(), resolver.status_words(),
                                 [&](const uint32_t* words) { resolver.check(words); }};
  session.memory().download(result, output, fresh, &status);
  session.done();
}

void check(Resolver resolver) {
  if (!resolver.is_checked()) resolver.read_status();
}

uint64_t bytes_of_rows(const Plan& plan) {
  return static_cast<uint64_t>(plan.tuples * plan.slice.bytes);
}

// Up to the end of the last slice that a tuple can address.
const BufferPtr& table_of(const Plan& plan, DeviceMemory& memory) {
  const bool is_touched = plan.tuples != 0 && plan.slice.bytes != 0 &&
                          std::ranges::find(plan.dims, 0) == plan.dims.end();
  const uint64_t last = (plan.span - 1) * static_cast<uint64_t>(plan.scale);
  return buffer_of(memory, is_touched ? last + static_cast<uint64_t>(plan.slice.bytes) : 0);
}

}  // namespace

const BufferPtr& indices_of(const Plan& plan, DeviceMemory& memory) {
  return buffer_of(memory, static_cast<uint64_t>(plan.tuples * plan.depth * plan.index_type.size));
}

BufferPtr upload(Session& session, const Tensor& from) {
  BufferPtr buffer = session.memory().take(packed_bytes(from));
  session.memory().upload(*buffer, from);
  return buffer;
}

BufferPtr allocate(Session& session, uint64_t bytes) {
  if (bytes > tuning().reused_result_bytes) return session.memory().allocate(bytes);
  return session.memory().take(bytes);
}

void gather_on_host(Session& session, const Plan& plan, Operands operands, const Tensor& input,
                    const Tensor& output, const std::byte* fill_value, bool fresh) {
  operands.table = upload(session, input);
  operands.rows = session.memory().take(packed_bytes(output));
  Resolver resolver = gather(session.gpu(), session.memory(), plan, operands, fill_value);
  finish(session, resolver, *operands.rows, output, fresh);
}

DeviceMemoryPtr gather_on_device(Session& session, const Plan& plan, Operands operands,
                                 DeviceMemory& input, const std::byte* fill_value) {
  const uint64_t bytes = bytes_of_rows(plan);
  operands.table = table_of(plan, input);
  operands.rows = allocate(session, bytes);
  if (plan.tuples != 0) {
    check(gather(session.gpu(), session.memory(), plan, operands, fill_value));
  }
  session.done();
  return std::make_shared<D3D12Memory>(operands.rows, bytes);
}

void scatter_on_host(Session& session, const Plan& plan, Operands operands, const Tensor& input,
                     const Tensor& updates, const Tensor& output, bool fresh) {
  operands.table = upload(session, input);
  operands.rows = upload(session, AtPositions(plan, updates).tensor());
  Resolver resolver = scatter(session.gpu(), session.memory(), plan, operands);
  if (output.data != input.data || packed_bytes(output) == 0) {
    return finish(session, resolver, *operands.table, output, fresh);
  }
  download_touched(session.gpu(), session.memory(), resolver, *operands.table, output);
  session.done();
}

DeviceMemoryPtr scatter_on_device(Session& session, const Plan& plan, Operands operands,
                                  const DeviceMemoryPtr& input, DeviceMemory& updates,
                                  bool in_place) {
  operands.table = table_of(plan, *input);
  operands.rows = buffer_of(updates, bytes_of_rows(plan));
  // A table that the call also reads as rows or indices must not change while it reads them.
  in_place = in_place && operands.table != operands.rows && operands.table != operands.indices;
  operands.in_place = in_place;
  if (!in_place) {
    operands.source = operands.table;
    operands.table = allocate(session, input->bytes());
  }
  if (plan.tuples != 0) {
    check(scatter(session.gpu(), session.memory(), plan, operands));
  } else if (!in_place) {
    copy_source(session.gpu(), operands);
  }
  session.memory().finish();
  session.done();
  if (in_place) return input;
  return std::make_shared<D3D12Memory>(operands.table, input->bytes());
}

}  // namespace gathernd::d3d12
