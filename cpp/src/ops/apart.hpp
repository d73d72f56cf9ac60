// Outputs that overlap arguments: the result is as if the argument had been copied first. Outputs
// of records keep the gaps between fields.
#pragma once

#include <optional>

#include "core/overlap.hpp"
#include "core/plan_rules.hpp"
#include "cpu/common/slices.hpp"
#include "runtime/kept_memory.hpp"
#include "runtime/scratch_tensor.hpp"

namespace gathernd {

// Copies all elements, of records only the fields. The two share no memory.
void copy_fields(const Tensor& from, const Tensor& to);

// Throws if two elements of the output share memory.
void check_output(Operator op, const Tensor& output);

// Calls run(output, fresh) with an output that shares no memory with the input. `fresh`: it may be
// written before an exception. Calls it again if memory ran out while some was kept. check() runs
// before any copy, so that a broken rule is reported even if there is too little memory.
template <class Check, class Run>
void gather_apart(const Tensor& input, const Tensor& output, bool fresh, Check check,
                  Run run_once) {
  const auto run = [&](const Tensor& to, bool is_fresh) {
    again_with_released([&] { run_once(to, is_fresh); });
  };
  if (fresh) return run(output, true);
  check_view(Operator::kGather, input, "input");
  check_view(Operator::kGather, output, "out");
  check_output(Operator::kGather, output);
  if (output.dtype.fields == nullptr && !may_overlap(output, input)) return run(output, false);
  check();
  const ScratchTensor result(output);
  run(result.tensor(), true);
  copy_fields(result.tensor(), output);
}

// Throws if the output's shape or type is not the input's.
void check_scatter_output(const Tensor& input, const Tensor& output);

// Calls run(updates, output, fresh) with an output that is the input's memory or shares none with
// it, and that shares none with the updates. If it has gaps to keep, it is the input's memory.
// check() and a second call are as above.
template <class Check, class Run>
void scatter_apart(const Tensor& input, const Tensor& updates, Tensor output, bool fresh,
                   Check check, Run run_once) {
  if (fresh) output.dtype.fields = nullptr;
  check_view(Operator::kScatter, input, "input");
  check_view(Operator::kScatter, updates, "updates");
  check_view(Operator::kScatter, output, "out");
  check_output(Operator::kScatter, output);
  const bool reads_output = may_overlap(output, updates);
  const bool keeps_gaps = output.dtype.fields != nullptr;
  const bool is_apart = same_memory(output, input) || (!keeps_gaps && !may_overlap(output, input));
  if (reads_output || !is_apart) check();
  std::optional<ScratchTensor> copy;
  if (reads_output) copy_tensor(updates, copy.emplace(updates).tensor());
  const Tensor& rows = reads_output ? copy->tensor() : updates;
  const auto run = [&](const Tensor& to, bool is_fresh) {
    again_with_released([&] { run_once(rows, to, is_fresh); });
  };
  if (is_apart) return run(output, fresh);
  const ScratchTensor result(output);
  run(result.tensor(), true);
  copy_fields(result.tensor(), output);
}

}  // namespace gathernd
