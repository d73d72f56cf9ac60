// Scatters whose result does not tell in which order the updates came, by a device's atomics:
// straight into the table, where others look for each row's tuples first.
#pragma once

#include <optional>

#include "resolve.hpp"

namespace gathernd::d3d12 {

// As in atomic.hlsl.
struct Atomics {
  uint32_t item_bytes, op, kind, turn;
};

// None where the order can be told, there is no atomic, or atomics would be slower.
std::optional<Atomics> atomics_for(const Plan& plan, const Geometry& geometry,
                                   const Operands& operands);

// Records the scatter; may wait, to see whether a tuple is bad.
Resolver scatter_unordered(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands,
                           const Atomics& atomics);

}  // namespace gathernd::d3d12
