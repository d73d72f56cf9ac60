// Random calls, each on every SIMD target and number of threads against each other, byte by byte;
// one in kOracle against plain loops, and one in kDevices on each D3D12 device, too.
//
//   gathernd_campaign CASES [SEED]
//
// Each case has a seed of its own: a case that fails is run again by `gathernd_campaign 1 SEED`.
#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "checked_call.hpp"
#include "elements.hpp"
#include "gathernd/device.hpp"

namespace gathernd::test {
namespace {

constexpr int kThreads[] = {1, 2, 3, 7};
constexpr int kOracle = 8, kDevices = 200;  // a call on lavapipe takes as long as 200 on the CPU
constexpr int kMostReports = 20;

struct Counts {
  uint64_t cases = 0, runs = 0, oracle = 0, device = 0, failures = 0, nans = 0;
};

std::string describe(const Call& call, Way way) {
  const char* ways[] = {"", " into a fresh output", " by components", " by an IndexPlan"};
  return std::string(name(call.op)) + ways[static_cast<int>(way)] + " of " +
         name(call.input.dtype) + ", mode " + name(call.options.mode) + ", reduction " +
         name(call.options.reduction) + ", duplicates " + name(call.options.duplicates);
}

void report(Counts* counts, uint64_t seed, const std::string& where, const std::string& what,
            bool only_nans = false) {
  ++counts->failures;
  if ((only_nans ? counts->nans : counts->failures - counts->nans) <= kMostReports) {
    std::printf("FAULT in case %" PRIu64 ", %s: %s\n", seed, where.c_str(), what.c_str());
  }
}

// The error and all memory after a call; not the memory of a fresh output that failed.
struct State {
  std::string error;
  std::optional<Snapshot> memory;
  bool operator==(const State&) const = default;
};

// Devices do not compute with long double.
bool runs_on_devices(const Call& call) {
  const Kind kind = call.input.dtype.kind;
  const bool is_long = kind == Kind::kLongDouble || kind == Kind::kComplexLongDouble;
  return !is_long || call.options.reduction == Reduction::kNone;
}

State run_to_state(const Call& call, Way way) {
  State state;
  try {
    run(call, way);
  } catch (const Error& error) {
    state.error = error.what();
  }
  if (state.error.empty() || way != Way::kScratch) state.memory.emplace(call);
  return state;
}

// In what two ends of a call differ.
struct Difference {
  std::string what;
  bool only_nans;  // in their bits
};

Difference find_difference(const Call& call, const State& a, const State& b) {
  if (a.error != b.error) {
    return {"the error \"" + b.error + "\", not \"" + a.error + "\"", false};
  }
  a.memory->restore();
  const std::vector<std::byte> first = call.output.pack();
  b.memory->restore();
  const std::vector<std::byte> second = call.output.pack();
  const auto size = static_cast<size_t>(call.output.dtype.size);
  const bool reduces = call.options.reduction != Reduction::kNone;
  int64_t count = 0, nans = 0;
  for (size_t i = 0; i < first.size(); i += size) {
    if (std::equal(&first[i], &first[i] + size, &second[i])) continue;
    ++count;
    nans += reduces && same_element(call.output.dtype.kind, &first[i], &second[i]);
  }
  return {std::to_string(count) + " other elements in the output, " + std::to_string(nans) +
              " of them only in the bits of NaNs",
          count > 0 && nans == count};
}

void compare_targets(const Call& call, Way way, uint64_t seed, Counts* counts) {
  const Snapshot before(call);
  std::optional<State> first;
  for (const std::string_view target : cpu_targets()) {
    for (const int threads : kThreads) {
      const Configured configured(target, threads, 1);
      before.restore();
      State state = run_to_state(call, way);
      ++counts->runs;
      if (!first) {
        first = std::move(state);
      } else if (state != *first) {
        const Difference difference = find_difference(call, *first, state);
        counts->nans += difference.only_nans;
        report(counts, seed, std::string(target) + " on " + std::to_string(threads) + " threads",
               "not as on the first target with one thread: " + difference.what + ": " +
                   describe(call, way),
               difference.only_nans);
      }
    }
  }
  before.restore();
}

void compare_with_oracle(const Call& call, Way way, uint64_t seed, bool on_devices,
                         Counts* counts) {
  const Snapshot before(call);
  const Answer expected = answer(call);
  ++counts->oracle;
  if (const std::string what = failure_of(call, expected, way); !what.empty()) {
    report(counts, seed, "the CPU", what + ": " + describe(call, way));
  }
  if (!on_devices || !runs_on_devices(call)) return;
  for (const DeviceInfo& device : devices()) {
    before.restore();
    ++counts->device;
    const std::string what = failure_of(call, expected, way, find_device(device.name));
    if (!what.empty()) report(counts, seed, device.name, what + ": " + describe(call, way));
  }
}

void run_case(uint64_t seed, Counts* counts) {
  Random random(seed);
  const auto op = random.one_of({Operator::kGather, Operator::kScatter});
  const auto way =
      random.one_of({Way::kFunction, Way::kScratch, Way::kComponents, Way::kIndexPlan});
  const bool oracle = random.one_in(kOracle), on_devices = random.one_in(kDevices);
  Call call = random_call(random, op);
  if (way == Way::kScratch) place(random, {&call.output});
  if (way == Way::kComponents) add_components(random, &call);
  compare_targets(call, way, seed, counts);
  if (oracle || on_devices) compare_with_oracle(call, way, seed, on_devices, counts);
  ++counts->cases;
}

int run_cases(uint64_t cases, uint64_t seed) {
  const auto start = std::chrono::steady_clock::now();
  Counts counts;
  const auto show = [&] {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("%" PRIu64 " cases, %" PRIu64 " runs on the CPU, %" PRIu64
                " against plain loops, %" PRIu64 " on devices in %.0f s: %" PRIu64
                " differences, %" PRIu64 " of them in the bits of NaNs alone\n",
                counts.cases, counts.runs, counts.oracle, counts.device, seconds.count(),
                counts.failures, counts.nans);
    std::fflush(stdout);
  };
  for (uint64_t i = 0; i < cases; ++i) {
    run_case(seed + i, &counts);
    if (counts.cases % 10'000 == 0) show();
  }
  if (counts.cases % 10'000 != 0) show();
  return counts.failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace gathernd::test

int main(int argc, char** argv) {
  doctest::Context context;
  context.setAsDefaultForAssertsOutOfTestCases();
  context.setAssertHandler([](const doctest::AssertData& data) {
    if (!data.m_failed) return;
    std::fprintf(stderr, "FAULT: %s\n", data.m_expr);
    std::abort();
  });
  const uint64_t cases = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  if (cases == 0) {
    std::fprintf(stderr, "gathernd_campaign CASES [SEED]\n");
    return 2;
  }
  return gathernd::test::run_cases(cases, seed);
}
