// Runs the parts of a scatter on all threads.
#pragma once

#include <cstdint>

#include "gathernd/plan.hpp"
#include "runtime/float_environment.hpp"
#include "runtime/parallel_for.hpp"

namespace gathernd {

// Calls f(0) ... f(parts - 1) on all threads, in the float environment that the plan needs.
template <class F>
void run_parts(const Plan& plan, int64_t parts, F f) {
  if (plan.reduction == Reduction::kNone) return parallel_parts(parts, f);
  parallel_parts(parts, [&](int64_t p) {
    const DefaultFloatEnvironment environment;
    f(p);
  });
}

}  // namespace gathernd
