#include "ops/apart.hpp"

#include <string>

#include "gathernd/error.hpp"

namespace gathernd {

void copy_fields(const Tensor& from, const Tensor& to) {
  if (to.dtype.fields == nullptr) return copy_tensor(from, to);
  const auto part = [](const Tensor& whole, const ByteRun& run) {
    return Tensor{whole.data + run.offset, {Kind::kOther, run.size}, whole.shape, whole.strides};
  };
  for (const ByteRun& run : *to.dtype.fields) copy_tensor(part(from, run), part(to, run));
}

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
