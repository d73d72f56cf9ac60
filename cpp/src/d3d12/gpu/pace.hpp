// How long work takes on a device, about: what is submitted at once shall keep nobody waiting.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gathernd::d3d12 {

// Of a dispatch, in nanoseconds of one core under Mesa's software device: a group on average, and
// the one that takes longest.
struct Cost {
  double group;
  double longest;
};
constexpr Cost each(double group) { return {group, group}; }

// Estimates. Kinds of devices: as slow as any of the kind may be, for the sake of those; the fast
// ones pay for it by some more submissions.
class Pace {
 public:
  // `width`: groups at a time, each as fast as `speed` cores.
  constexpr Pace(double width, double speed) : width_(width), speed_(speed) {}
  static constexpr Pace software(int processors) { return {static_cast<double>(processors), 1}; }
  static constexpr Pace integrated() { return {16, 4}; }
  static constexpr Pace discrete() { return {256, 4}; }

  double estimate(uint64_t groups, Cost cost) const {
    return (static_cast<double>(groups) / width_ * cost.group + cost.longest) * per_core();
  }
  // How many groups take no longer than this, where one does not; else one.
  uint64_t groups_within(double time, Cost cost) const {
    return count((time / per_core() - cost.longest) / cost.group * width_);
  }
  // The same for steps of one group.
  uint64_t steps_within(double time, double step) const { return count(time / per_core() / step); }
  // The device is busy with other things, or slower than its kind. That may pass.
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
