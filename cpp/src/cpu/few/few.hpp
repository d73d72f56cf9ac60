// The two functions for a few tuples.
#pragma once

#include "gathernd/gathernd.hpp"

namespace gathernd {

// Each returns false, with nothing written, if the call needs a plan: its tuples are many, its
// arrays are not simple, a rule is broken, or an index is out of range.
bool gather_few(const Tensor& input, const Indices& indices, const Tensor& output,
                const GatherOptions& options);
bool scatter_few(const Tensor& input, const Indices& indices, const Tensor& updates,
                 const Tensor& output, const ScatterOptions& options);

// Tuples of the shape `outer` that are resolved. They address the first `depth` dimensions of a
// packed table: slice t begins at element scale * offsets[t].
struct KnownFew {
  std::span<const int64_t> outer;
  size_t depth;
  const uint32_t* offsets;
  int64_t scale;
};
bool gather_few(const Tensor& input, const KnownFew& tuples, const Tensor& output, bool fresh);
bool scatter_few(const Tensor& input, const KnownFew& tuples, const Tensor& updates,
                 const Tensor& output, Reduction reduction, Duplicates duplicates);

}  // namespace gathernd
