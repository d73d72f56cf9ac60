// Limits as a test wants them, until its end.
#pragma once

#include "d3d12/memory/geometry.hpp"
#include "d3d12/memory/kernels.hpp"

namespace gathernd::testing {

class ScopedLimits {
 public:
  explicit ScopedLimits(const d3d12::Limits& limits) : before_(d3d12::limits()) {
    d3d12::limits() = limits;
  }
  ~ScopedLimits() { d3d12::limits() = before_; }
  ScopedLimits(const ScopedLimits&) = delete;

 private:
  d3d12::Limits before_;
};

// Views, chunks and staging of a few bytes: small arrays take every path of large ones.
class SmallLimits : ScopedLimits {
 public:
  explicit SmallLimits(uint64_t view, uint64_t tuples = 10)
      : ScopedLimits({view, view, tuples, 3, 3, 512, d3d12::limits().sparse}) {}
};

// Every scatter in place of one chunk goes through the tuples.
class SparseLimits : ScopedLimits {
 public:
  SparseLimits() : ScopedLimits(d3d12::limits()) { d3d12::limits().sparse = 0; }
};

// Codes that begin from so many below the largest: those of all calls soon run out.
class CodesLimits : ScopedLimits {
 public:
  explicit CodesLimits(uint32_t left) : ScopedLimits(d3d12::limits()) {
    d3d12::limits().floor = d3d12::kNone - left;
  }
};

// Whether the items of a group that go to one place meet before they do.
class MergeLimits : ScopedLimits {
 public:
  explicit MergeLimits(bool merges) : ScopedLimits(d3d12::limits()) {
    d3d12::limits().merges = merges;
  }
};

}  // namespace gathernd::testing
