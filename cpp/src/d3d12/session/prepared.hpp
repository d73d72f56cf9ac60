// An IndexPlan's tuples on a D3D12 device.
#pragma once

#include <memory>

#include "core/lazy.hpp"
#include "d3d12/operators/kept_tuples.hpp"
#include "d3d12/session/lifetime.hpp"
#include "d3d12/session/session.hpp"
#include "gathernd/device.hpp"

namespace gathernd::d3d12 {

class D3D12Tuples final : public DeviceTuples {
 public:
  // The session is of `device`. Throws BadTupleError for the first bad tuple.
  D3D12Tuples(Device& device, Session& session, const Plan& plan, const Operands& operands)
      : device_(device), plan_(plan), kept_(session.gpu(), session.memory(), plan, operands) {}

  void gather(const Plan& plan, const Tensor& input, const Tensor& output,
              const std::byte* fill_value, bool fresh) override;
  void scatter(const Plan& plan, const Tensor& input, const Tensor& updates, const Tensor& output,
               bool fresh) override;
  DeviceMemoryPtr gather(const Plan& plan, DeviceMemory& input,
                         const std::byte* fill_value) override;
  DeviceMemoryPtr scatter(const Plan& plan, const DeviceMemoryPtr& input, DeviceMemory& updates,
                          bool in_place) override;

  bool is_unique() const override { return look().is_unique; }
  bool is_sorted() const override { return look().is_sorted; }
  size_t bytes() const override { return sizeof(*this) + kept_.bytes(); }
  void restore(std::span<int64_t> to) const override;

 private:
  // What only a look at all tuples tells.
  struct Facts {
    bool is_unique, is_sorted;
  };
  const Facts& look() const;

  // The tuples on the CPU, for a table of one dimension if slots are kept.
  std::unique_ptr<PreparedTuples> bring_here() const;
  Plan plan_for(Session& session, const Plan& plan);

  Device& device_;
  Plan plan_;
  KeptTuples kept_;
  Lazy<Facts> facts_;
};

}  // namespace gathernd::d3d12
