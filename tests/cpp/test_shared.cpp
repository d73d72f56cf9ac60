// Calls from many threads that share an IndexPlan, the pool and the settings, which change all the
// time. ThreadSanitizer runs this, too.
#include <atomic>
#include <thread>

#include "checked_call.hpp"
#include "gathernd/index_plan.hpp"
#include "runtime/settings.hpp"

namespace gathernd::test {
namespace {

constexpr int kCallers = 4;

// Changes the settings until the end of the scope.
class Restless {
 public:
  Restless() : before_(cpu_target(), num_threads(), 1), thread_([this] { run(); }) {}
  ~Restless() {
    stop_ = true;
    thread_.join();
  }

 private:
  void run() {
    const auto names = cpu_targets();
    for (size_t i = 0; !stop_; ++i) {
      set_num_threads(1 + static_cast<int>(i % 7));
      set_cpu_target(names[i % names.size()]);
      set_grain(1 + static_cast<int64_t>(i % 3) * 40);
      std::this_thread::yield();
    }
  }

  const Configured before_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

template <class F>
void on_threads(F f) {
  std::vector<std::thread> callers;
  for (int i = 0; i < kCallers; ++i) callers.emplace_back(f, i);
  for (std::thread& caller : callers) caller.join();
}

}  // namespace

TEST_CASE("calls are right while other threads call and change the settings") {
  const Restless restless;
  std::atomic<int> failures = 0;
  on_threads([&](int caller) {
    Random random(static_cast<uint64_t>(90 + caller));
    for (int trial = 0; trial < 60; ++trial) {
      const auto op = random.one_of({Operator::kGather, Operator::kScatter});
      const auto way =
          random.one_of({Way::kFunction, Way::kScratch, Way::kComponents, Way::kIndexPlan});
      Call call = random_call(random, op);
      if (way == Way::kScratch) place(random, {&call.output});
      if (way == Way::kComponents) add_components(random, &call);
      failures += !failure_of(call, answer(call), way).empty();
    }
  });
  CHECK(failures == 0);
}

TEST_CASE("an IndexPlan is used for the first time by many threads at once") {
  const Restless restless;
  constexpr uint64_t kSize = 500, kTuples = 2000;
  const auto view = [](std::vector<uint64_t>& values, const std::vector<int64_t>& shape) {
    static constexpr int64_t kStrides[] = {8, 8};
    return Tensor{reinterpret_cast<std::byte*>(values.data()),
                  {Kind::kUInt64, 8, true},
                  shape,
                  std::span(kStrides).first(shape.size())};
  };
  const std::vector<int64_t> shape{kSize}, rows{kTuples}, tuples{kTuples, 1};
  std::vector<uint64_t> indices(kTuples), table(kSize), updates(kTuples);
  std::atomic<int> failures = 0;
  for (uint64_t round = 0; round < 30; ++round) {
    std::vector<uint64_t> sums(kSize), last(kSize);
    for (uint64_t t = 0; t < kTuples; ++t) {
      const uint64_t index = indices[t] = (t * 37 + round) % kSize;
      updates[t] = last[index] = t;
      sums[index] += t;
    }
    const IndexPlan plan(shape, view(indices, tuples));
    on_threads([&](int caller) {
      std::vector<uint64_t> result(kSize), gathered(kTuples);
      const bool adds = caller % 2 == 1;
      plan.scatter(view(table, shape), view(updates, rows), view(result, shape),
                   adds ? Reduction::kAdd : Reduction::kNone);
      failures += result != (adds ? sums : last);
      plan.gather(view(result, shape), view(gathered, rows));
      for (uint64_t t = 0; t < kTuples; ++t) failures += gathered[t] != result[indices[t]];
      failures += plan.is_unique();
    });
  }
  CHECK(failures == 0);
}

}  // namespace gathernd::test
