#include "answers.hpp"

#include <iostream>
#include <stdexcept>

#include "floats.hpp"
#include "gathernd/device.hpp"
#include "gathernd/error.hpp"
#include "gathernd/gathernd.hpp"
#include "oracle.hpp"
#include "tuning.hpp"

namespace gathernd::testing {
namespace {

template <class F>
Answer answer_of(Array* output, F f) {
  const Bytes before = output->bytes;
  try {
    f();
  } catch (const Error& error) {
    Answer answer{output->bytes, error.what()};
    if (answer.bytes != before) answer.error += " and the output was written";
    return answer;
  }
  return {output->bytes, ""};
}

bool compare(const Case& c, const Answer& expected, const Answer& got) {
  if (expected == got) return true;
  size_t at = 0;
  while (at < got.bytes.size() && expected.bytes[at] == got.bytes[at]) ++at;
  std::cerr << describe(c) << "\n  expected error \"" << expected.error << "\", got \"" << got.error
            << "\"; first difference at byte " << at << " of " << got.bytes.size() << "\n";
  return false;
}

Plan scatter_plan(const Case& c, Arrays& arrays, const Tensor& output) {
  return make_plan(Operator::kScatter, output, arrays.indices.tensor(), arrays.rows.tensor(),
                   {static_cast<int64_t>(c.batch.size()), c.mode, c.reduction, c.duplicates});
}

Answer run_gather(Backend& backend, const Case& c, Arrays& arrays) {
  Array output(c.dtype, arrays.rows.shape);
  return answer_of(&output, [&] {
    const Tensor from = arrays.input.tensor(), tuples = arrays.indices.tensor();
    const Tensor to = output.tensor();
    const PlanOptions options = {static_cast<int64_t>(c.batch.size()), c.mode};
    const Plan plan = make_plan(Operator::kGather, from, tuples, to, options);
    if (plan.tuples != 0) backend.gather(plan, from, tuples, to, fill_value(c), false);
  });
}

Answer run_scatter(Backend& backend, const Case& c, Arrays& arrays) {
  Array output(c.dtype, arrays.input.shape);
  return answer_of(&output, [&] {
    const Tensor to = output.tensor();
    const Plan plan = scatter_plan(c, arrays, to);
    if (plan.tuples == 0) return;
    backend.scatter(plan, arrays.input.tensor(), arrays.indices.tensor(), arrays.rows.tensor(), to,
                    false);
  });
}

// With arrays that are on the device: into new memory, and then into the input's own, by its rows
// and by the tuples.
Answer run_scatter_there(DeviceBackend& backend, const Case& c, Arrays& arrays) {
  Array output(c.dtype, arrays.input.shape), again = output;
  return answer_of(&output, [&] {
    const Tensor to = output.tensor();
    const Plan plan = scatter_plan(c, arrays, to);
    const DeviceMemoryPtr input = backend.upload(arrays.input.tensor());
    const DeviceMemoryPtr indices = backend.upload(arrays.indices.tensor());
    const DeviceMemoryPtr rows = backend.upload(arrays.rows.tensor());
    const DeviceMemoryPtr result = backend.scatter(plan, input, *indices, *rows, false);
    backend.download(*result, to, false);
    Bytes once = output.bytes;
    unify_nans(c, &once);
    const auto check_in_place = [&] {
      const DeviceMemoryPtr table = backend.upload(arrays.input.tensor());
      backend.scatter(plan, table, *indices, *rows, true);
      backend.download(*table, again.tensor(), false);
      unify_nans(c, &again.bytes);
      if (again.bytes != once) throw std::logic_error("in place: another result");
    };
    check_in_place();
    const ByTuple sparse;
    check_in_place();
  });
}

}  // namespace

// Errors have the CPU backend's words; results are the plain loop's.
Answer expected_gather(const Case& c, Arrays& arrays) {
  Answer answer = run_gather(cpu_backend(), c, arrays);
  if (answer.error.empty()) answer.bytes = gather_loop(c, arrays, fill_value(c));
  return answer;
}

Answer expected_scatter(const Case& c, Arrays& arrays) {
  Answer answer = run_scatter(cpu_backend(), c, arrays);
  const Plan plan = scatter_plan(c, arrays, arrays.input.tensor());
  if (answer.error.empty() && plan.tuples != 0) answer.bytes = scatter_loop(c, arrays);
  return answer;
}

Answer device_gather(const Case& c, Arrays& arrays) {
  return run_gather(d3d12_api().backend(0), c, arrays);
}

Answer device_scatter(const Case& c, Arrays& arrays) {
  return run_scatter(d3d12_api().backend(0), c, arrays);
}

Answer device_memory_scatter(const Case& c, Arrays& arrays) {
  return run_scatter_there(d3d12_api().backend(0), c, arrays);
}

bool check_gather(const Case& c) {
  Arrays arrays(c);
  return compare(c, expected_gather(c, arrays), device_gather(c, arrays));
}

bool check_scatter(const Case& c) {
  Arrays arrays(c);
  return check_scatter(c, arrays);
}

bool check_scatter(const Case& c, Arrays& arrays) {
  Answer expected = expected_scatter(c, arrays);
  unify_nans(c, &expected.bytes);
  for (const auto run : {device_scatter, device_memory_scatter}) {
    Answer got = run(c, arrays);
    unify_nans(c, &got.bytes);
    if (!compare(c, expected, got)) return false;
  }
  return true;
}

}  // namespace gathernd::testing
