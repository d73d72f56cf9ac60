// The bits of the floats in a case.
#pragma once

#include "cases.hpp"

namespace gathernd::testing {

// Gives random bits the exponents that are asked for.
void shape_values(const Case& c, Array* array);

// The one thing that devices may choose: which NaN.
void unify_nans(const Case& c, Bytes* bytes);

}  // namespace gathernd::testing
