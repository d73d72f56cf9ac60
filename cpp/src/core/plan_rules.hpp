// What a call may ask for: every rule on its types, options and shapes. The rest is in
// gathernd/plan.hpp.
#pragma once

#include <string>

#include "gathernd/error.hpp"
#include "gathernd/plan.hpp"

namespace gathernd {

// What is said of indices of another type, before its name.
inline constexpr char kIndexTypes[] = "indices must be int8 to int64 or uint8 to uint64, not ";

// Throws with the operator's name in front.
[[noreturn]] void fail(ErrorKind kind, Operator op, const std::string& what);

// Each throws what it finds against the rules.
void check_options(Operator op, const PlanOptions& options);
void check_types(Operator op, const Tensor& table, const Tensor& rows, const PlanOptions& options);
void check_index_type(Operator op, const DType& dtype);

// ValueError for too many dimensions, or strides that reach past any address space; `what` names
// the argument.
void check_view(Operator op, const Tensor& tensor, const char* what);

// ValueError where a gather in mode kFill has no fill value.
void check_fill(Mode mode, const std::byte* fill_value);

// The plan of a scatter that only checks the tuples, which have no components: slices have no byte.
Plan plan_check(const Plan& plan, const Tensor& indices);

}  // namespace gathernd
