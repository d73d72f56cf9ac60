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
};

struct Answer {
  std::string error;                // the message; empty for none
  std::vector<std::byte> elements;  // of the output, packed
};

Answer answer(const Call& call);

// Memory included: the output lies apart, is the input, or overlaps an argument.
Call random_call(Random& random, Operator op);

}  // namespace gathernd::test
