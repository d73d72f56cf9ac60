// Estimates how long work takes on a device, so that no submission keeps others waiting.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gathernd::d3d12 {

// The cost of a dispatch, in nanoseconds on one core of Mesa's software device: the average group
// and the slowest one.
struct Cost {
  double group;
  double longest;
};
constexpr Cost each(double group) { return {group, group}; }

// The speed of a kind of device, as slow as any device of that kind may be. Faster devices only pay
// with a few more submissions.
class Pace {
 public:
  // `width`: the number of groups that run at a time, each as fast as `speed` cores.
  constexpr Pace(double width, double speed) : width_(width), speed_(speed) {}
  static constexpr Pace software(int processors) { return {static_cast<double>(processors), 1}; }
  static constexpr Pace integrated() { return {16, 4}; }

  double estimate(uint64_t groups, Cost cost) const {
    return (static_cast<double>(groups) / width_ * cost.group + cost.longest) * per_core();
  }
  // The number of groups that take at most `time`; at least one.
  uint64_t groups_within(double time, Cost cost) const {
    return count((time / per_core() - cost.longest) / cost.group * width_);
  }
  // The same for the steps of one group.
  uint64_t steps_within(double time, double step) const { return count(time / per_core() / step); }
  // Corrects the estimates of a device that is busy, or slower than its kind. Fast submissions
  // gradually undo that.
  void learn(double estimated, double measured) {
    constexpr double kMost = 8, kPasses = 7.0 / 8;
    slowness_ = std::clamp(measured / estimated * slowness_, std::max(slowness_ * kPasses, 1.0),
                           std::max(slowness_, kMost));
  }

 private:
  double per_core() const { return slowness_ / speed_; }
  static uint64_t count(double n) { return static_cast<uint64_t>(std::clamp(n, 1.0, 0x1p62)); }

  double width_, speed_, slowness_ = 1;
};

}  // namespace gathernd::d3d12
