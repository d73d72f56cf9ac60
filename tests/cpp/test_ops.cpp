// gather_nd, scatter_nd and IndexPlan on random problems against the oracle: each target, on 1 to 7
// threads. After each call every byte of memory is as before, but for the elements of the output.
#include "checked_call.hpp"

namespace gathernd::test {
namespace {

constexpr int kThreads[] = {1, 2, 3, 7};
constexpr int kCalls = trials(400);  // of each kind, on each target and number of threads

// The same call on every target and number of threads.
void check_on_every_backend(const Call& call, Way way) {
  const Answer expected = answer(call);
  const Snapshot before(call);
  for (std::string_view target : cpu_targets()) {
    for (int threads : kThreads) {
      INFO("target ", std::string(target), " threads ", threads);
      const Configured configured(target, threads, 1);
      before.restore();
      REQUIRE(failure_of(call, expected, way) == "");
    }
  }
}

enum class Tuples { kTensor, kComponents };

void check_random_calls(Operator op, Way way, uint64_t seed, Tuples tuples = Tuples::kTensor) {
  Random random(seed);
  for (int trial = 0; trial < kCalls; ++trial) {
    INFO("trial ", trial);
    Call call = random_call(random, op);
    if (way == Way::kScratch) place(random, {&call.output});
    if (tuples == Tuples::kComponents) add_components(random, &call);
    check_on_every_backend(call, way);
  }
}

}  // namespace

TEST_CASE("gather_nd") { check_random_calls(Operator::kGather, Way::kFunction, 61); }

TEST_CASE("gather_nd into scratch") { check_random_calls(Operator::kGather, Way::kScratch, 62); }

TEST_CASE("scatter_nd") { check_random_calls(Operator::kScatter, Way::kFunction, 63); }

TEST_CASE("scatter_nd into scratch") { check_random_calls(Operator::kScatter, Way::kScratch, 66); }

TEST_CASE("gather_nd by a tensor per component") {
  check_random_calls(Operator::kGather, Way::kFunction, 67, Tuples::kComponents);
}

TEST_CASE("scatter_nd by a tensor per component") {
  check_random_calls(Operator::kScatter, Way::kFunction, 68, Tuples::kComponents);
}

TEST_CASE("IndexPlan gather") { check_random_calls(Operator::kGather, Way::kIndexPlan, 64); }

TEST_CASE("IndexPlan scatter") { check_random_calls(Operator::kScatter, Way::kIndexPlan, 65); }

TEST_CASE("IndexPlan of a tensor per component") {
  check_random_calls(Operator::kGather, Way::kIndexPlan, 69, Tuples::kComponents);
  check_random_calls(Operator::kScatter, Way::kIndexPlan, 70, Tuples::kComponents);
}

}  // namespace gathernd::test
