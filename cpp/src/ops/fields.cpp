#include "ops/fields.hpp"

#include "core/layout.hpp"
#include "cpu/common/slices.hpp"
#include "cpu/prepared/prepare.hpp"

namespace gathernd {

void copy_fields(const Tensor& from, const Tensor& to) {
  if (to.dtype.fields == nullptr) return copy_tensor(from, to);
  for_each_field_run(from, to, copy_tensor);
}

void set_fields(const Tensor& table, const Indices& indices, const Tensor& updates,
                const PlanOptions& options) {
  PlanOptions set = options;
  set.duplicates = same_for_all_fields(options.duplicates);
  const Dims strides = c_strides(table.shape, table.dtype.size);
  const Tensor packed{nullptr, table.dtype, table.shape, strides};
  const Plan plan = make_plan(Operator::kScatter, packed, indices, updates, set);
  if (plan.tuples == 0) return;
  const auto tuples = prepare(plan, indices, Uses::kOne);
  for_each_field_run(updates, table, [&](const Tensor& rows, const Tensor& to) {
    const Plan part = make_plan(Operator::kScatter, to, indices, rows, set, &plan.positions);
    tuples->scatter(part, to, rows, to, false);
  });
}

}  // namespace gathernd
