#include "d3d12/operators/interleave.hpp"

#include <algorithm>

#include "core/first_bad.hpp"
#include "core/layout.hpp"
#include "core/load_tuples.hpp"
#include "core/normalize_index.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/settings.hpp"

namespace gathernd {
namespace {

constexpr int64_t kAtOnce = 1024;  // tuples

// int64 holds all indices except those of uint64 from 2**63 on.
Kind common_kind(const Indices& indices) {
  const auto is_uint64 = [](const Tensor& t) { return t.dtype.kind == Kind::kUInt64; };
  return std::ranges::all_of(indices.components(), is_uint64) ? Kind::kUInt64 : Kind::kInt64;
}

Tensor like(const Indices& indices) {
  Tensor result = indices.tuples();
  result.dtype = {common_kind(indices), sizeof(int64_t)};
  return result;
}

// Replaces a uint64 index from 2**63 on: by one that is out of range too, or that is equal modulo
// the size.
int64_t substitute(int64_t bits, int64_t size, Mode mode) {
  if (mode != Mode::kWrap || size == 0) return INT64_MAX;
  return static_cast<int64_t>(static_cast<uint64_t>(bits) % static_cast<uint64_t>(size));
}

// Throws the error of a plan in mode kRaise: for the first bad index before `known`, or for
// `known`.
[[noreturn]] void throw_first_bad(const Plan& plan, const int64_t* tuples, const BadTuple& known) {
  for (int64_t t = 0; t <= known.position; ++t) {
    for (int k = 0; k < plan.depth; ++k) {
      if (t == known.position && k == known.component) throw_bad_tuple(plan, known);
      const Plan& component = plan.components[static_cast<size_t>(k)];
      const int64_t value = tuples[t * plan.depth + k];
      int64_t index;
      if (!normalize_index(value, is_signed_index(component.index_type.kind),
                           plan.wrap_negative_indices, component.dims[0], plan.mode, &index)) {
        throw_bad_tuple(plan, {t, k, value});
      }
    }
  }
  throw_bad_tuple(plan, known);
}

}  // namespace

Interleaved::Interleaved(const Plan& plan, const Indices& indices)
    : plan_(plan), kept_(plan, like(indices)), memory_(kept_.tensor()) {
  const size_t depth = plan.components.size();
  auto* const tuples = reinterpret_cast<int64_t*>(memory_.tensor().data);
  FirstBad substituted;
  parallel_for(plan.tuples, grain_for(plan.depth * int64_t{16}), kAtOnce,
               [&](int64_t begin, int64_t end) {
                 int64_t lanes[kAtOnce];
                 for (int64_t first = begin; first < end; first += kAtOnce) {
                   const int64_t n = std::min(kAtOnce, end - first);
                   for (size_t k = 0; k < depth; ++k) {
                     const Plan& component = plan.components[k];
                     load_lanes(component, indices.components()[k].data, first, n, lanes);
                     const bool may_not_fit = component.index_type.kind == Kind::kUInt64 &&
                                              memory_.tensor().dtype.kind == Kind::kInt64;
                     for (int64_t t = 0; t < n; ++t) {
                       int64_t& lane = lanes[t];
                       if (may_not_fit && lane < 0) {
                         substituted.report({first + t, static_cast<int>(k), lane});
                         lane = substitute(lane, component.dims[0], plan.mode);
                       }
                       tuples[static_cast<size_t>(first + t) * depth + k] = lane;
                     }
                   }
                 }
               });
  if (plan.mode == Mode::kRaise && substituted.is_before(INT64_MAX)) {
    throw_first_bad(plan, tuples, substituted.bad());
  }
  plan_.components.clear();
  const Tensor& tuples_here = memory_.tensor();
  plan_.index_type = tuples_here.dtype;
  plan_.component_stride = tuples_here.dtype.size;
  plan_.index_walk = make_walk(
      plan.positions, tuples_here.strides.first(static_cast<size_t>(plan.positions.size())));
}

}  // namespace gathernd
