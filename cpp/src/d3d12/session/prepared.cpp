#include "d3d12/session/prepared.hpp"

#include "core/layout.hpp"
#include "core/tuple_restorer.hpp"
#include "d3d12/operators/operators.hpp"
#include "d3d12/session/calls.hpp"
#include "d3d12/session/host_rules.hpp"

namespace gathernd::d3d12 {

void D3D12Tuples::gather(const Plan& plan, const Tensor& input, const Tensor& output,
                         const std::byte* fill_value, bool fresh) {
  Session session(device_);
  gather_on_host(session, kept_.refer(plan), kept_.operands(), input, output, fill_value, fresh);
}

void D3D12Tuples::scatter(const Plan& plan, const Tensor& input, const Tensor& updates,
                          const Tensor& output, bool fresh) {
  const Tensor none;
  if (!has_tuples(plan, input, none, updates, output)) return;
  Session session(device_);
  scatter_on_host(session, plan_for(session, plan), kept_.operands(), input, updates, output,
                  fresh);
}

DeviceMemoryPtr D3D12Tuples::gather(const Plan& plan, DeviceMemory& input,
                                    const std::byte* fill_value) {
  Session session(device_);
  return gather_on_device(session, kept_.refer(plan), kept_.operands(), input, fill_value);
}

DeviceMemoryPtr D3D12Tuples::scatter(const Plan& plan, const DeviceMemoryPtr& input,
                                     DeviceMemory& updates, bool in_place) {
  check_supported(plan);
  Session session(device_);
  return scatter_on_device(session, plan_for(session, plan), kept_.operands(), input, updates,
                           in_place);
}

void D3D12Tuples::restore(std::span<int64_t> to) const {
  if (to.empty()) return;
  const std::unique_ptr<PreparedTuples> here = bring_here();
  if (kept_.rows() < 0) return here->restore(to);
  const gathernd::Buffer<int64_t> slots(static_cast<size_t>(plan_.tuples));
  here->restore({slots.data(), static_cast<size_t>(plan_.tuples)});
  const auto slice = [&](int64_t t) {
    const int64_t slot = slots.data()[t];
    return slot == kept_.rows() ? TupleRestorer::kNoSlice : static_cast<uint64_t>(slot);
  };
  TupleRestorer(plan_).restore(0, std::ssize(to) / plan_.depth, slice, to.data());
}

const D3D12Tuples::Facts& D3D12Tuples::look() const {
  return facts_.get([&] {
    const std::unique_ptr<PreparedTuples> here = bring_here();
    return Facts{here->is_unique(), here->is_sorted()};
  });
}

std::unique_ptr<PreparedTuples> D3D12Tuples::bring_here() const {
  Session session(device_);
  const IndicesHere here(session, kept_.refer(plan_), kept_.indices());
  session.done();
  if (kept_.rows() < 0) return cpu_backend().prepare(here.plan(), here.tensor());
  const DType byte{Kind::kUInt8, 1};
  const int64_t rows = kept_.rows(), stride = 1;
  const Dims strides = c_strides(plan_.positions, 1);
  const Tensor table{nullptr, byte, {&rows, 1}, {&stride, 1}};
  const Tensor to{nullptr, byte, plan_.positions, strides};
  // Slots of tuples that address no row are out of range.
  const Plan plan =
      make_plan(Operator::kIndexPlan, table, here.tensor(), to, {.mode = Mode::kFill});
  return cpu_backend().prepare(plan, here.tensor());
}

// Of the call with the kept tuples, after a check for duplicates if the device cannot do that.
Plan D3D12Tuples::plan_for(Session& session, const Plan& plan) {
  const Plan there = kept_.refer(plan);
  return kept_.rows() >= 0 ? there : find_duplicates(session, there, kept_.indices());
}

}  // namespace gathernd::d3d12
