// Cuts a table into parts; each thread writes one of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cpu/common/tuning.hpp"
#include "cpu/resolve/resolve.hpp"
#include "gathernd/plan.hpp"

namespace gathernd {

inline constexpr size_t kSamples = 64;     // per part, to cut a table
inline constexpr size_t kFewSamples = 16;  // to see whether tuples are skewed

// The offsets of `samples` * `parts` tuples all over the call. `offset_of(t)` is that of tuple t.
template <class O, class F>
std::vector<O> take_sample(const Plan& plan, int64_t parts, size_t samples, F offset_of) {
  constexpr uint64_t kScatter = 0x9e3779b97f4a7c15;  // no period of the tuples shows in the sample
  const auto n = static_cast<uint64_t>(plan.tuples);
  std::vector<O> sample(samples * static_cast<size_t>(parts));
  for (uint64_t i = 0; i < sample.size(); ++i) {
    const O offset = offset_of(static_cast<int64_t>(i * kScatter % n));
    sample[i] = static_cast<O>(std::min<uint64_t>(offset, plan.span));
  }
  return sample;
}

// The same for tuples that are not resolved yet. The values read here are not used again: a bad
// tuple counts as offset 0, and is reported if it is still bad when it is resolved.
template <class O>
std::vector<O> take_sample(const Plan& plan, int64_t parts, size_t samples,
                           const Resolver<O>& resolver) {
  return take_sample<O>(plan, parts, samples, [&](int64_t t) {
    O offset;
    BadTuple bad;
    return resolver.resolve(t, 1, &offset, &bad) ? offset : O{0};
  });
}

// Offsets that cut the table into parts that are addressed about equally often. The sample has
// kSamples tuples per part.
template <class O>
std::vector<O> cut_table(const Plan& plan, std::vector<O> sample) {
  std::ranges::sort(sample);
  const auto step = static_cast<O>(std::max<int64_t>(1, tuning().part_distance / plan.scale));
  std::vector<O> cuts{0};
  for (size_t at = kSamples; at < sample.size(); at += kSamples) {
    cuts.push_back(sample[at] / step * step);
  }
  cuts.push_back(static_cast<O>(plan.span));
  return cuts;
}

}  // namespace gathernd
