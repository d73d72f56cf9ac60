#include "gathernd/indices.hpp"

#include "core/layout.hpp"
#include "gathernd/error.hpp"

namespace gathernd {

Indices::Indices(std::span<const Tensor> components) : components_(components) {
  if (components.empty() || components.size() > static_cast<size_t>(kMaxRank)) {
    throw Error(ErrorKind::kValue, "index tuples have 1 to " + std::to_string(kMaxRank) +
                                       " components, not " + std::to_string(components.size()));
  }
  const Tensor& first = components.front();
  if (first.shape.size() >= static_cast<size_t>(kMaxRank)) {
    throw Error(ErrorKind::kValue, "index arrays have at most " + std::to_string(kMaxRank - 1) +
                                       " dimensions, not " + std::to_string(first.shape.size()));
  }
  for (const Tensor& component : components) {
    if (same_shape(component.shape, first.shape)) continue;
    throw Error(ErrorKind::kValue, "index arrays must have one shape, not " + text(first.shape) +
                                       " and " + text(component.shape));
  }
  shape_ = Dims(first.shape);
  shape_.push_back(static_cast<int64_t>(components.size()));
  while (strides_.size() < shape_.size()) strides_.push_back(0);
  tuples_ = {
      nullptr, first.dtype, {shape_.begin(), shape_.end()}, {strides_.begin(), strides_.end()}};
}

}  // namespace gathernd
