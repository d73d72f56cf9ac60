// The two functions: plan, mind overlapping memory, run.
#include <optional>
#include <string>

#include "cpu/buffer.hpp"
#include "cpu/slices.hpp"
#include "gathernd/gathernd.hpp"
#include "layout.hpp"

namespace gathernd {
namespace {

// A packed tensor of its own, in the shape of another.
class Scratch {
 public:
  explicit Scratch(const Tensor& like)
      : strides_(c_strides(like.shape, like.dtype.size)), view_(like) {
    int64_t elements = 0;
    count_elements(like.shape, &elements);
    memory_.emplace(static_cast<size_t>(elements * like.dtype.size));
    view_.data = memory_->data();
    view_.strides = {strides_.begin(), strides_.end()};
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const Tensor& tensor() const { return view_; }

 private:
  Dims strides_;
  std::optional<Buffer<std::byte>> memory_;
  Tensor view_;
};

void check_output(Operator op, const Tensor& output) {
  if (overlaps_itself(output)) {
    throw Error(ErrorKind::kValue,
                std::string(name(op)) + ": two elements of out share memory; it must be written "
                                        "to, so use one without 0-strides or overlap");
  }
}

}  // namespace

void gather_nd(const Tensor& input, const Tensor& indices, const Tensor& output,
               const GatherOptions& options) {
  const PlanOptions plan_options{options.batch_dims, options.mode};
  const Plan plan = make_plan(Operator::kGather, input, indices, output, plan_options);
  if (!options.fresh_output) check_output(Operator::kGather, output);
  if (plan.tuples == 0) return;
  if (options.fresh_output || !may_overlap(output, input)) {
    return cpu_backend().gather(plan, input, indices, output, options.fill_value,
                                options.fresh_output);
  }
  const Scratch result(output);
  gather_nd(input, indices, result.tensor(),
            {options.batch_dims, options.mode, options.fill_value, true});
  copy_tensor(result.tensor(), output);
}

void scatter_nd(const Tensor& input, const Tensor& indices, const Tensor& updates,
                const Tensor& output, const ScatterOptions& options) {
  if (output.dtype != input.dtype || !same_shape(output.shape, input.shape)) {
    throw Error(ErrorKind::kValue, "scatter_nd: out must have input's shape and dtype");
  }
  const PlanOptions plan_options{options.batch_dims, options.mode, options.reduction,
                                 options.duplicates};
  const Plan plan = make_plan(Operator::kScatter, output, indices, updates, plan_options);
  check_strides(Operator::kScatter, input, "input");
  check_output(Operator::kScatter, output);
  // The indices may overlap the output: all of them are read before anything is written.
  if (may_overlap(output, updates)) {
    const Scratch copy(updates);
    copy_tensor(updates, copy.tensor());
    return scatter_nd(input, indices, copy.tensor(), output, options);
  }
  if (!same_memory(output, input) && may_overlap(output, input)) {
    const Scratch result(output);
    scatter_nd(input, indices, updates, result.tensor(), options);
    return copy_tensor(result.tensor(), output);
  }
  if (plan.tuples == 0) {
    if (output.data != input.data) copy_tensor(input, output);
    return;
  }
  cpu_backend().scatter(plan, input, indices, updates, output);
}

}  // namespace gathernd
