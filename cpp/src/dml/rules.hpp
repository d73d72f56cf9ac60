// The rules that a desc must keep, for all three operators at once.
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
  const TensorDesc* updates;  // nullptr where there is none
  const TensorDesc* output;
  uint32_t input_dimension_count;
  uint32_t indices_dimension_count;
  uint32_t batch_dimension_count;
  FeatureLevel introduced;
};

Description describe(const OperatorDesc& desc);

// The tensor as it lies in memory. Checks the rules on one tensor: sizes, strides, total size,
// flags, alignment. `field` leads the message: "GATHER_ND: input_tensor".
Layout lay_out(const TensorDesc& tensor, const std::string& field);

// Checks that the operator and its types and dimension counts are there at the feature level.
void check_support(const Description& desc, FeatureLevel level);

// Checks how the tensors and the counts fit together.
void check_fit(const Description& desc);

// "[1, 3]"
std::string text(std::span<const uint32_t> sizes);
std::string text(std::span<const int64_t> sizes);

}  // namespace gathernd::dml
