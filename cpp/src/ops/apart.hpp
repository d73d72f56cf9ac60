// Outputs that overlap arguments: the result is as if the argument had been copied first. Outputs
// of records keep the gaps between fields.
#pragma once

#include <optional>

#include "core/overlap.hpp"
#include "core/plan_rules.hpp"
#include "cpu/common/slices.hpp"
#include "ops/fields.hpp"
#include "runtime/kept_memory.hpp"
#include "runtime/scratch_tensor.hpp"

namespace gathernd {

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
// it, and that shares none with the updates. check() and a second call are as above. In place it
// calls set_fields(updates) instead, if the output keeps gaps.
template <class Check, class Run, class SetFields>
void scatter_apart(const Tensor& input, const Tensor& updates, const Tensor& output, bool fresh,
                   Check check, Run run_once, SetFields set_fields) {
  check_view(Operator::kScatter, input, "input");
  check_view(Operator::kScatter, updates, "updates");
  check_view(Operator::kScatter, output, "out");
  check_output(Operator::kScatter, output);
  const bool reads_output = may_overlap(output, updates);
  const bool in_place = same_memory(output, input);
  const bool keeps_gaps = output.dtype.fields != nullptr && !fresh;
  const bool is_apart = in_place || !may_overlap(output, input);
  if (reads_output || !is_apart || keeps_gaps) check();
  std::optional<ScratchTensor> copy;
  if (reads_output) copy_tensor(updates, copy.emplace(updates).tensor());
  const Tensor& rows = reads_output ? copy->tensor() : updates;
  const auto run = [&](const Tensor& to, bool is_fresh) {
    again_with_released([&] { run_once(rows, to, is_fresh); });
  };
  if (is_apart && !keeps_gaps) return run(output, fresh);
  if (in_place) return again_with_released([&] { set_fields(rows); });
  const ScratchTensor result(output);
  run(result.tensor(), true);
  copy_fields(result.tensor(), output);
}

}  // namespace gathernd
