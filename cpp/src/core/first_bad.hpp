// The first bad tuple of a call, which several threads look for.
#pragma once

#include <atomic>
#include <mutex>

#include "gathernd/plan.hpp"

namespace gathernd {

// Keeps the bad tuple that comes first in C order, whichever thread finds it.
class FirstBad {
 public:
  void report(const BadTuple& bad) {
    std::lock_guard lock(mutex_);
    if (bad.position < bad_.position) bad_ = bad;
    position_ = bad_.position;
  }
  // Whether a bad tuple before `position` is known: tuples from there on no longer matter.
  bool is_before(int64_t position) const { return position_ < position; }
  const BadTuple& bad() const { return bad_; }  // valid once all threads have finished reporting
  void throw_if_any(const Plan& plan) const {
    if (is_before(INT64_MAX)) throw_bad_tuple(plan, bad_);
  }

 private:
  std::mutex mutex_;
  BadTuple bad_;
  std::atomic<int64_t> position_ = INT64_MAX;
};

}  // namespace gathernd
