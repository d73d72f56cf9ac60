// Every rule on the types, options and shapes of a call. gathernd/plan.hpp declares make_plan and
// rows_shape.
#pragma once

#include <string>

#include "gathernd/error.hpp"
#include "gathernd/plan.hpp"

namespace gathernd {

struct ScatterOptions;

// The start of the message for indices of another type; the name of the type follows.
inline constexpr char kIndexTypes[] = "indices must be int8 to int64 or uint8 to uint64, not ";

// What a plan needs of the options.
PlanOptions plan_options_of(const ScatterOptions& options);

// Throws an Error whose message starts with the operator's name.
[[noreturn]] void fail(ErrorKind kind, Operator op, const std::string& what);

// Each throws an Error if a rule is broken.
void check_options(Operator op, const PlanOptions& options);
void check_types(Operator op, const Tensor& table, const Tensor& rows, const PlanOptions& options);
void check_index_type(Operator op, const DType& dtype);

// Throws an Error for too many dimensions, for strides that are too few or reach past any address
// space, and for elements of a size that is not their kind's. `what` names the argument.
void check_view(Operator op, const Tensor& tensor, const char* what);

// Throws Error(kValue) if a gather in mode kFill has no fill value.
void check_fill(Mode mode, const std::byte* fill_value);

// The plan of a scatter that only checks the tuples: its slices have no bytes.
Plan plan_check(const Plan& plan, const Indices& indices);

// Throws unless one update of a slice element stays.
void check_has_winners(Reduction reduction);

}  // namespace gathernd
