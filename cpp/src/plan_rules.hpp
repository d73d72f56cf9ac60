// What a call may ask for: every rule on its types, options and shapes. The rest is in
// gathernd/plan.hpp.
#pragma once

#include <string>

#include "gathernd/error.hpp"
#include "gathernd/plan.hpp"

namespace gathernd {

// Throws with the operator's name in front.
[[noreturn]] void fail(ErrorKind kind, Operator op, const std::string& what);

// Each throws what it finds against the rules.
void check_options(Operator op, const PlanOptions& options);
void check_types(Operator op, const Tensor& table, const Tensor& rows, const PlanOptions& options);

}  // namespace gathernd
