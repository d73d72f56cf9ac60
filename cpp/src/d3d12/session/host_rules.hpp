// The rules on index values, kept on the host: where a limit of the device would end a call that
// one of them ends already, and where a call is nothing but its rules.
#pragma once

#include "d3d12/gpu/failure.hpp"
#include "d3d12/session/session.hpp"
#include "gathernd/plan.hpp"

namespace gathernd::d3d12 {

// Throws the IndexError of the first bad tuple, and the ValueError of Duplicates::kError.
void check_tuples(const Plan& plan, const Tensor& indices);
// The same by indices that lie on the device, packed.
void check_tuples(Session& session, const Plan& plan, Buffer& indices);
// That after the call has failed, of which nothing that was recorded runs.
void check_instead(Session& session, const Plan& plan, Buffer& indices);

// Whether the call moves no byte but must tell which slices repeat. The device would need a word
// for each slice, of which there may be any number.
inline bool only_finds_duplicates(const Plan& plan) {
  return plan.slice.bytes == 0 && plan.duplicates == Duplicates::kError && plan.tuples != 0;
}

// Calls run(); where it ends by a limit of the device, the tuples are checked first.
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
