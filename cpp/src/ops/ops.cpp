// The two functions: they plan and run, on memory that does not overlap.
#include "gathernd/gathernd.hpp"

#include "core/plan_rules.hpp"
#include "cpu/few/few.hpp"
#include "ops/apart.hpp"
#include "ops/backend_or_cpu.hpp"

namespace gathernd {

void gather_nd(const Tensor& input, const Indices& indices, const Tensor& output,
               const GatherOptions& options) {
  if (gather_few(input, indices, output, options)) return;
  check_fill(options.mode, options.fill_value);
  const PlanOptions plan_options{.batch_dims = options.batch_dims,
                                 .mode = options.mode,
                                 .wrap_negative_indices = options.wrap_negative_indices};
  const auto plan_for = [&](const Tensor& to) {
    return make_plan(Operator::kGather, input, indices, to, plan_options);
  };
  const auto run = [&](const Tensor& to, bool fresh) {
    const Plan plan = plan_for(to);
    if (plan.tuples == 0) return;
    backend_or_cpu(options.backend).gather(plan, input, indices, to, options.fill_value, fresh);
  };
  gather_apart(input, output, options.fresh_output, [&] { plan_for(output); }, run);
}

void scatter_nd(const Tensor& input, const Indices& indices, const Tensor& updates,
                const Tensor& output, const ScatterOptions& options) {
  if (scatter_few(input, indices, updates, output, options)) return;
  check_scatter_output(input, output);
  const PlanOptions plan_options = plan_options_of(options);
  const auto plan_for = [&](const Tensor& rows, const Tensor& to) {
    return make_plan(Operator::kScatter, to, indices, rows, plan_options);
  };
  const auto run = [&](const Tensor& rows, const Tensor& to, bool fresh) {
    // The indices may overlap the output: all of them are read before anything is written.
    const Plan plan = plan_for(rows, to);
    // A device writes whole elements: it would lose what other fields have in the gaps of records.
    Backend& backend = to.dtype.fields == nullptr ? backend_or_cpu(options.backend) : cpu_backend();
    backend.scatter(plan, input, indices, rows, to, fresh);
  };
  const auto check = [&] { plan_for(updates, output); };
  scatter_apart(input, updates, output, options.fresh_output, check, run);
}

}  // namespace gathernd
