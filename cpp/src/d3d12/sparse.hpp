// Scatters of few tuples into many rows.
#pragma once

#include "resolve.hpp"

namespace gathernd::d3d12 {

// Whether a scatter goes through its tuples and not through the rows of its windows: it is in
// place, and already the `first` has many more rows.
bool is_sparse(const Operands& operands, const Resolver& resolver, const Window& first);

// Resolves the only chunk, and sets the words of its slots to 0: those of other rows may be
// anything.
Slots clear_slots(Gpu& gpu, Resolver& resolver, const Window& window, const View& words);

}  // namespace gathernd::d3d12
