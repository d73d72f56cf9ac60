#include "d3d12/session/host_rules.hpp"

#include "core/layout.hpp"
#include "core/plan_rules.hpp"
#include "d3d12/operators/operators.hpp"
#include "gathernd/backend.hpp"

namespace gathernd::d3d12 {

IndicesHere::IndicesHere(Session& session, const Plan& plan, Buffer& indices)
    : plan_(plan),
      shape_(plan.positions),
      memory_(static_cast<size_t>(plan.tuples * plan.depth * plan.index_type.size)) {
  const int64_t size = plan.index_type.size;
  shape_.push_back(plan.depth);
  strides_ = c_strides(shape_, size);
  tensor_ = {memory_.data(), plan.index_type, shape_, strides_};
  session.memory().download(indices, tensor_, true);
  // The plan of an IndexPlan's call has no strides.
  plan_.component_stride = size;
  plan_.index_walk = make_walk(
      plan.positions, std::span(strides_.begin(), static_cast<size_t>(strides_.size() - 1)));
}

bool has_tuples(const Plan& plan, const Tensor& input, const Indices& indices,
                const Tensor& updates, const Tensor& output) {
  check_supported(plan);
  if (plan.tuples == 0) cpu_backend().scatter(plan, input, indices, updates, output, false);
  return plan.tuples != 0;
}

void check_tuples(const Plan& plan, const Indices& indices) {
  const Tensor none;
  cpu_backend().scatter(plan_check(plan, indices), none, indices, none, none, false);
}

void check_tuples(Session& session, const Plan& plan, Buffer& indices) {
  const IndicesHere here(session, plan, indices);
  check_tuples(here.plan(), here.tensor());
}

void check_instead(Session& session, const Plan& plan, Buffer& indices) {
  session.gpu().discard();
  session.memory().discard();
  if (!session.gpu().lost()) check_tuples(session, plan, indices);
}

Plan find_duplicates(Session& session, Plan plan, Buffer& indices) {
  if (!only_finds_duplicates(plan)) return plan;
  check_tuples(session, plan, indices);
  plan.duplicates = Duplicates::kLast;
  return plan;
}

}  // namespace gathernd::d3d12
