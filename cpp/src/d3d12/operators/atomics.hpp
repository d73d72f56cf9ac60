// The atomics by which a scatter can write to the table, and their parameters.
#pragma once

#include <cstdint>

#include "d3d12/operators/arithmetic.hpp"

namespace gathernd::d3d12 {

// As in atomic.hlsl.
struct Atomics {
  enum Order : uint32_t { kUnsigned, kSigned, kFloat };

  // Whether elements only grow, by order or by bits. The shader then reads the table first, because
  // most updates soon change nothing.
  bool grows() const { return op == kMax || op == kOr; }

  uint32_t item_bytes;
  Op op;
  Order order;
  uint32_t complement;
};

// Whether the result does not depend on the order of the updates, and devices have atomics for it.
bool has_atomics(const Plan& plan, uint64_t row_bytes);

// Of a plan that has_atomics().
Atomics atomics_for(const Plan& plan);

}  // namespace gathernd::d3d12
