// Which atomics of a device a scatter can go into the table by, and with which numbers.
#pragma once

#include <optional>

#include "d3d12/operators/arithmetic.hpp"
#include "d3d12/operators/resolve.hpp"

namespace gathernd::d3d12 {

// As in atomic.hlsl.
struct Atomics {
  enum Order : uint32_t { kUnsigned, kSigned, kFloat };

  // Whether the table only grows, in the order or by bits: it is looked at first, and soon stays.
  bool grows() const { return op == kMax || op == kOr; }

  uint32_t item_bytes;
  Op op;
  Order kind;
  uint32_t turn;
};

// None where the order of the updates can be told from the result, there is no atomic, or atomics
// would be slower.
std::optional<Atomics> atomics_for(const Plan& plan, const Geometry& geometry,
                                   const Operands& operands);

}  // namespace gathernd::d3d12
