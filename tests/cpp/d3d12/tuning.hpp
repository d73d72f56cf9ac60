// Thresholds as a test wants them, until its end.
#pragma once

#include "d3d12/gpu/tuning.hpp"
#include "d3d12/memory/geometry.hpp"
#include "d3d12/memory/kernels.hpp"

namespace gathernd::testing {

class ScopedTuning {
 public:
  explicit ScopedTuning(const d3d12::Tuning& values) : before_(d3d12::tuning()) {
    d3d12::set_tuning(values);
  }
  ~ScopedTuning() { d3d12::set_tuning(before_); }
  ScopedTuning(const ScopedTuning&) = delete;
  ScopedTuning& operator=(const ScopedTuning&) = delete;

 private:
  d3d12::Tuning before_;
};

// The current thresholds, after `change` has changed some.
template <class Change>
d3d12::Tuning changed(Change change) {
  d3d12::Tuning result = d3d12::tuning();
  change(result);
  return result;
}

// Views, chunks and staging of a few bytes: small arrays take every path of large ones.
class SmallPieces : ScopedTuning {
 public:
  explicit SmallPieces(uint64_t view, uint64_t tuples = 10)
      : ScopedTuning(changed([&](d3d12::Tuning& t) {
          t.view_words = t.view_quads = view;
          t.chunk_tuples = tuples;
          t.sums_at_once = t.iterations = 3;
          t.staging_bytes = 512;
        })) {}
};

// Every scatter in place of one chunk goes through the tuples.
class ByTuple : ScopedTuning {
 public:
  ByTuple() : ScopedTuning(changed([](d3d12::Tuning& t) { t.sparse_rows = 0; })) {}
};

// Epochs that begin from so many entries below the largest: those of all calls soon run out.
class LateEpochs : ScopedTuning {
 public:
  explicit LateEpochs(uint32_t left)
      : ScopedTuning(changed([&](d3d12::Tuning& t) { t.epoch_start = d3d12::kNone - left; })) {}
};

// Whether groups pre-aggregate their items.
class Preaggregates : ScopedTuning {
 public:
  explicit Preaggregates(bool does)
      : ScopedTuning(changed([&](d3d12::Tuning& t) { t.preaggregates = does; })) {}
};

// Reductions of elements that only grow look first what grows, however short they are.
class LooksFirst : ScopedTuning {
 public:
  LooksFirst()
      : ScopedTuning(changed([](d3d12::Tuning& t) {
          t.looks = true;
          t.looked_bytes = 0;
        })) {}
};

// The loop iterations of a thread per dispatch.
class Iterations : ScopedTuning {
 public:
  explicit Iterations(uint64_t most)
      : ScopedTuning(changed([&](d3d12::Tuning& t) { t.iterations = most; })) {}
};

}  // namespace gathernd::testing
