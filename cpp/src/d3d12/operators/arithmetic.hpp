// Which shaders reduce a type, and with which numbers.
#pragma once

#include "d3d12/memory/geometry.hpp"
#include "d3d12/memory/kernels.hpp"

namespace gathernd::d3d12 {

// As in ops.hlsli.
enum Op : uint32_t { kSet, kAdd, kMul, kMax, kOr, kXor };

// min is max, and is or, sub is add, of what is turned.
Op op_for(Reduction reduction);

// As in reduce.hlsli, where the meaning of each stands.
struct ArithmeticParameters {
  uint32_t op, kind, turn, turn_high, turn_acc, turn_acc_high, bits, high, signs, over;
};

struct Arithmetic {
  ReduceShaders shaders;
  Format format;      // of a unit
  uint32_t unit;      // bytes of the table, or of an element where units are less than a word
  uint32_t row_unit;  // bytes of the updates
  uint32_t cost;      // of a long row's update: turns of loops, or the time of as many
  ArithmeticParameters parameters;
  double step = costs::kStep;  // an update of a unit
};

// `halves_in_floats`: the table of a sum of float16 or bfloat16 is a float32 copy of it.
Arithmetic arithmetic_for(const Plan& plan, const Geometry& geometry, bool halves_in_floats);

}  // namespace gathernd::d3d12
