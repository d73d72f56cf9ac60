// The shaders that reduce a type, and their parameters.
#pragma once

#include "d3d12/memory/geometry.hpp"
#include "d3d12/memory/kernels.hpp"

namespace gathernd::d3d12 {

// As in ops.hlsli.
enum Op : uint32_t { kSet, kAdd, kMul, kMax, kOr, kXor };

// Whether there is a shader for the reduction of the kind, if the reduction is defined for it.
bool has_shaders(Kind kind, Reduction reduction);

// The operation of the shader; kSet if there is none. min is max, and is or, sub is add, all of
// complemented values.
Op op_for(Reduction reduction);

// The bits of a float's infinity, or of its upper word. All bits for other types, which have no
// NaN.
uint32_t infinity_of(Kind kind);

struct Arithmetic {
  ReduceShaders shaders;
  Format format;      // of a unit
  uint32_t unit;      // bytes of the table, or of an element if a unit is less than a word
  uint32_t row_unit;  // bytes of the updates
  uint32_t cost;      // of a long row's update, in loop iterations or their time
  ReduceParameters parameters;  // only those of the arithmetic
  double step = costs::kStep;   // cost of one update of a unit
};

// `halves_in_floats`: float16 or bfloat16 are reduced into a float32 copy of the table.
Arithmetic arithmetic_for(const Plan& plan, const Geometry& geometry, bool halves_in_floats);

}  // namespace gathernd::d3d12
