// Scatters of few tuples into many rows.
#pragma once

#include "resolve.hpp"

namespace gathernd::d3d12 {

// Whether a scatter goes through its tuples and not through the rows of its windows: it is in
// place, and already the `first` has many more rows.
bool is_sparse(const Operands& operands, const Resolver& resolver, const Window& first);

}  // namespace gathernd::d3d12
