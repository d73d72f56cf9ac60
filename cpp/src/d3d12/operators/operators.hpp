// The two operators on packed device tensors. All is recorded: it has run after a finish().
#pragma once

#include <cstddef>

#include "d3d12/operators/resolve.hpp"

namespace gathernd::d3d12 {

// Records rows = table[indices]. `fill_value`: one element, for Mode::kFill.
// The caller passes the status words to the resolver's check().
Resolver gather(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands,
                const std::byte* fill_value);

// Records table = scatter of rows into the source, or into the table itself, which bad tuples then
// leave as it is. Throws the ValueError of Duplicates::kError, and what may have to be known before
// the end, by itself.
Resolver scatter(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands);

// Whether the shaders have to fill the rows of the table without a tuple from the source; if they
// cannot, for windows that share a word, this records a copy of it.
bool copies_on_the_way(Gpu& gpu, const Operands& operands, uint32_t unit_bytes, size_t windows);

// Records table = source.
void copy_source(Gpu& gpu, const Operands& operands);

// Throws TypeError for an arithmetic that no shader has.
void check_supported(const Plan& plan);

}  // namespace gathernd::d3d12
