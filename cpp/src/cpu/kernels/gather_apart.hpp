// The kernels that gather short rows by index components that lie apart.
#pragma once

#include "cpu/kernels/tiles.hpp"

namespace gathernd {

// As GatherShortFn, by tuples (components[0][t], components[1][t], ...) of 2 to kMostApart.
template <class I>
using GatherApartFn = size_t (*)(const TupleRule<I, uint32_t>& rule, const I* const* components,
                                 const ShortRows& rows, size_t n);

inline constexpr int kMostApart = 3;

struct ApartKernels {
  GatherApartFn<int32_t> gather32;
  GatherApartFn<int64_t> gather64;
};

// `target`: a bit of hwy/targets.h.
ApartKernels apart_kernels(int64_t target);

}  // namespace gathernd
