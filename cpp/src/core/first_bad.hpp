// The error of a call whose threads meet bad tuples.
#pragma once

#include <atomic>
#include <mutex>

#include "gathernd/plan.hpp"

namespace gathernd {

// The bad tuple that comes first in C order, whichever thread finds it.
class FirstBad {
 public:
  void report(const BadTuple& bad) {
    std::lock_guard lock(mutex_);
    if (bad.position < bad_.position) bad_ = bad;
    position_ = bad_.position;
  }
  // Whether what comes from `position` on no longer matters.
  bool is_before(int64_t position) const { return position_ < position; }
  const BadTuple& bad() const { return bad_; }  // once no thread reports any more
  void throw_if_any(const Plan& plan) const {
    if (is_before(INT64_MAX)) throw_bad_tuple(plan, bad_);
  }

 private:
  std::mutex mutex_;
  BadTuple bad_;
  std::atomic<int64_t> position_ = INT64_MAX;
};

}  // namespace gathernd
