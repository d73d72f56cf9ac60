// The atomics by which a scatter can write to the table, and their parameters.
#pragma once

#include <optional>

#include "d3d12/operators/arithmetic.hpp"
#include "d3d12/operators/resolve.hpp"

namespace gathernd::d3d12 {

// As in atomic.hlsl.
struct Atomics {
  enum Order : uint32_t { kUnsigned, kSigned, kFloat };

  // Whether elements only grow, by order or by bits. The shader then reads the table first, because
  // most updates soon change nothing.
  bool grows() const { return op == kMax || op == kOr; }

  uint32_t item_bytes;
  Op op;
  Order kind;
  uint32_t turn;
};

// No value if the result depends on the order of the updates, if there is no such atomic, or if
// atomics would be slower.
std::optional<Atomics> atomics_for(const Plan& plan, const Geometry& geometry,
                                   const Operands& operands);

}  // namespace gathernd::d3d12
