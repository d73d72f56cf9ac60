// The rules that a desc must follow, for all three operators at once.
#pragma once

#include <span>
#include <string>

#include "gathernd/dml.hpp"

namespace gathernd::dml {

// Any of the three descs.
struct Description {
  const char* name;  // "GATHER_ND"
  Operator op;
  const TensorDesc* input;
  const TensorDesc* indices;
  const TensorDesc* updates;  // nullptr if there are none
  const TensorDesc* output;
  uint32_t input_dimension_count;
  uint32_t indices_dimension_count;
  uint32_t batch_dimension_count;
  FeatureLevel introduced;
};

Description describe(const OperatorDesc& desc);

// The tensor's layout in memory. Checks the rules on one tensor: sizes, strides, total size, flags,
// alignment. Messages start with `field`: "GATHER_ND: input_tensor".
Layout lay_out(const TensorDesc& tensor, const std::string& field);

// Checks that the feature level has the operator, its types and its dimension counts.
void check_support(const Description& desc, FeatureLevel level);

// Checks that the tensors and the counts fit together.
void check_fit(const Description& desc);

// "[1, 3]"
std::string text(std::span<const uint32_t> sizes);
std::string text(std::span<const int64_t> sizes);

}  // namespace gathernd::dml
