#include "cpu/kernels/targets.hpp"

#include <atomic>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/lazy.hpp"
#include "cpu/kernels/simd_targets.hpp"
#include "gathernd/error.hpp"
#include "gathernd/gathernd.hpp"
#include "hwy/highway.h"
#include "runtime/find_once.hpp"

namespace gathernd {
namespace {

std::vector<Target> find_targets() {
  std::vector<Target> found;
  // The baseline runs everywhere, whether or not the machine's list names it.
  const int64_t runnable = (hwy::SupportedTargets() & HWY_TARGETS) | HWY_STATIC_TARGET;
  for (int64_t left = runnable; left != 0; left &= left - 1) {
    const int64_t target = left & ~(left - 1);
    found.push_back({hwy::TargetName(target),
                     {move_kernels(target), reduce_kernels(target), reduce_runs_kernels(target)},
                     apart_kernels(target)});
  }
  return found;  // a lower bit is a better target
}

constinit Forever<std::vector<Target>> all;

const Target& find_target(std::string_view wanted, const std::string& source) {
  std::string known;
  for (const Target& target : targets()) {
    if (target.name == wanted) return target;
    known += (known.empty() ? "" : ", ") + std::string(target.name);
  }
  throw Error(ErrorKind::kValue, source + " must be one of the targets of this machine: " + known);
}

const Target* default_target() {
  if (const char* text = std::getenv("GATHERND_CPU_TARGET"); text && *text) {
    return &find_target(text, std::string("GATHERND_CPU_TARGET=") + text + " is refused: it");
  }
  return &targets().front();
}

// Null until the first use.
constinit std::atomic<const Target*> target_in_use{nullptr};

const Target& target() { return *find_once(target_in_use, default_target); }

}  // namespace

std::span<const Target> targets() { return all.get(find_targets); }

std::vector<std::string_view> cpu_targets() {
  std::vector<std::string_view> names;
  for (const Target& target : targets()) names.push_back(target.name);
  return names;
}

std::string_view cpu_target() { return target().name; }

void set_cpu_target(std::string_view target) {
  target_in_use =
      &find_target(target, "set_cpu_target: \"" + std::string(target) + "\" is refused: it");
}

const Kernels& kernels() { return target().kernels; }

const ApartKernels& apart_kernels() { return target().apart; }

void read_target() { target(); }

}  // namespace gathernd
