// The rules on index values, checked on the host: for calls that hit a limit of the device, because
// a broken rule is reported first, and for calls that only check their rules.
#pragma once

#include "d3d12/gpu/failure.hpp"
#include "d3d12/session/session.hpp"
#include "gathernd/plan.hpp"
#include "runtime/buffer.hpp"

namespace gathernd::d3d12 {

// Packed indices of a device, copied to the host.
class IndicesHere {
 public:
  IndicesHere(Session& session, const Plan& plan, Buffer& indices);

  const Plan& plan() const { return plan_; }  // the same call, with these indices
  const Tensor& tensor() const { return tensor_; }

 private:
  Plan plan_;
  Dims shape_, strides_;
  gathernd::Buffer<std::byte> memory_;
  Tensor tensor_;
};

// Whether a scatter has tuples. If not, the output becomes a copy of the input.
bool has_tuples(const Plan& plan, const Tensor& input, const Indices& indices,
                const Tensor& updates, const Tensor& output);

// Throws BadTupleError for the first bad tuple, and DuplicateError if Duplicates::kError forbids a
// repeated tuple.
void check_tuples(const Plan& plan, const Indices& indices);
// The same for packed indices on the device.
void check_tuples(Session& session, const Plan& plan, Buffer& indices);
// The same after the call has failed: discards its recorded work first.
void check_instead(Session& session, const Plan& plan, Buffer& indices);

// Whether the call moves no bytes but must find repeated slices. The device would need a word per
// slice, and there may be any number of slices.
inline bool only_finds_duplicates(const Plan& plan) {
  return plan.slice.bytes == 0 && plan.duplicates == Duplicates::kError && plan.tuples != 0;
}

// Checks for duplicates on the host if the call does nothing else; returns the plan of the rest.
Plan find_duplicates(Session& session, Plan plan, Buffer& indices);

// Returns run(). If that hits a limit of the device, calls check() before it rethrows.
template <class Run, class Check>
auto rules_before_limits(Run run, Check check) {
  try {
    return run();
  } catch (const LimitError&) {
    check();
    throw;
  }
}

}  // namespace gathernd::d3d12
