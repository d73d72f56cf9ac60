// gather_nd and scatter_nd as plain loops over tuples and elements.
#pragma once

#include <string>
#include <vector>

#include "arrays.hpp"
#include "gathernd/plan.hpp"

namespace gathernd::test {

struct Call {
  Operator op = Operator::kGather;
  PlanOptions options;
  Array input, indices, updates, output;  // gather has no updates
  std::vector<std::byte> fill;            // one element
  std::vector<Array> components;          // the tuples again, an array for each component, or none
};

struct Answer {
  std::string error;                // the message; empty for none
  std::vector<std::byte> elements;  // of the output, packed
};

Answer answer(const Call& call);

// Memory included: the output lies apart, is the input, or overlaps an argument. The tuples of
// calls with many, and the slices of those with long ones, are fewer by the divisor.
Call random_call(Random& random, Operator op, int64_t divisor = 1);

// Gives the call its components: each of any type that holds its values, of any strides. The tuples
// are new, and repeat along the dimensions in which a component has a stride of 0.
void add_components(Random& random, Call* call);

}  // namespace gathernd::test
