// Views, chunks and staging of a few bytes: small arrays take every path of large ones.
#pragma once

#include "d3d12/geometry.hpp"

namespace gathernd::testing {

class SmallLimits {
 public:
  explicit SmallLimits(uint64_t view, uint64_t tuples = 10) : before_(d3d12::limits()) {
    d3d12::limits() = {view, view, tuples, 3, 3, 512};
  }
  ~SmallLimits() { d3d12::limits() = before_; }

 private:
  d3d12::Limits before_;
};

}  // namespace gathernd::testing
