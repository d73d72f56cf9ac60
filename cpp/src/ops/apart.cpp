#include "ops/apart.hpp"

#include <string>

#include "gathernd/error.hpp"

namespace gathernd {

void check_output(Operator op, const Tensor& output) {
  if (overlaps_itself(output)) {
    throw Error(ErrorKind::kValue, std::string(name(op)) +
                                       ": two elements of out share memory, or might; it must be "
                                       "written to, so use one without 0-strides or overlap");
  }
}

void check_scatter_output(const Tensor& input, const Tensor& output) {
  if (output.dtype != input.dtype || !same_shape(output.shape, input.shape)) {
    throw Error(ErrorKind::kValue, "scatter_nd: out must have input's shape " + text(input.shape) +
                                       " and dtype, not shape " + text(output.shape));
  }
}

}  // namespace gathernd
