#include "d3d12/session/host_rules.hpp"

#include "core/layout.hpp"
#include "core/plan_rules.hpp"
#include "gathernd/backend.hpp"
#include "runtime/buffer.hpp"

namespace gathernd::d3d12 {

void check_tuples(const Plan& plan, const Tensor& indices) {
  const Tensor none;
  cpu_backend().scatter(plan_check(plan, indices), none, indices, none, none, false);
}

void check_tuples(Session& session, const Plan& plan, Buffer& indices) {
  const int64_t size = plan.index_type.size;
  Dims shape = plan.positions;
  shape.push_back(plan.depth);
  const Dims strides = c_strides(shape, size);
  const gathernd::Buffer<std::byte> memory(static_cast<size_t>(plan.tuples * plan.depth * size));
  const Tensor here = {memory.data(), plan.index_type, shape, strides};
  session.memory().download(indices, here, true);
  Plan packed = plan;  // the plan may have no strides: an IndexPlan's has none
  packed.component_stride = size;
  packed.index_walk = make_walk(
      plan.positions, std::span(strides.begin(), static_cast<size_t>(strides.size() - 1)));
  check_tuples(packed, here);
}

void check_instead(Session& session, const Plan& plan, Buffer& indices) {
  session.gpu().discard();
  session.memory().discard();
  if (!session.gpu().lost()) check_tuples(session, plan, indices);
}

}  // namespace gathernd::d3d12
