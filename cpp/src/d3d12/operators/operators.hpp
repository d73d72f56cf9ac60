// The two operators on packed device tensors. They record their work; it has run after a finish().
#pragma once

#include <cstddef>

#include "d3d12/operators/resolve.hpp"

namespace gathernd::d3d12 {

// Records rows = table[indices]. `fill_value`: one element, for Mode::kFill.
// The caller passes the status words to the resolver's check().
Resolver gather(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands,
                const std::byte* fill_value);

// Records table = scatter of rows into the source, or into the table itself. Bad tuples leave the
// table as it is. Throws DuplicateError itself, and BadTupleError if that must be known early. Else
// the caller passes the status words to the resolver's check().
Resolver scatter(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands);

// Whether the shaders must copy the rows without a tuple from the source. They cannot do that if
// windows share a word; then this records a copy of the whole source and returns false.
bool copies_on_the_way(Gpu& gpu, const Operands& operands, uint32_t unit_bytes, size_t windows);

// Records table = source.
void copy_source(Gpu& gpu, const Operands& operands);

// Throws Error(kType) for arithmetic that no shader has.
void check_supported(const Plan& plan);

}  // namespace gathernd::d3d12
