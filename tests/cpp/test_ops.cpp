// gather_nd, scatter_nd and IndexPlan on random problems against the oracle: each target, on 1 to 7
// threads. After each call every byte of memory is as before, but for the elements of the output.
#include <algorithm>
#include <map>

#include "elements.hpp"
#include "gathernd/index_plan.hpp"
#include "oracle.hpp"

namespace gathernd::test {
namespace {

constexpr int kThreads[] = {1, 2, 3, 7};
constexpr int kCalls = 400;  // of each kind, on each target and number of threads

enum class Way { kFunction, kScratch, kIndexPlan };  // kScratch: into a fresh output

void run(const Call& call, Way way) {
  const PlanOptions& o = call.options;
  const Tensor input = call.input.tensor(), indices = call.indices.tensor();
  const Tensor updates = call.updates.tensor(), output = call.output.tensor();
  const bool gathers = call.op == Operator::kGather, fresh = way == Way::kScratch;
  if (way == Way::kIndexPlan) {
    const IndexPlan plan(input.shape, indices, o.batch_dims, o.mode);
    if (gathers) return plan.gather(input, output, call.fill.data());
    return plan.scatter(input, updates, output, o.reduction, o.duplicates);
  }
  if (gathers) {
    return gather_nd(input, indices, output, {o.batch_dims, o.mode, call.fill.data(), fresh});
  }
  scatter_nd(input, indices, updates, output,
             {o.batch_dims, o.mode, o.reduction, o.duplicates, fresh});
}

// The memories of a call, as they were.
class Snapshot {
 public:
  explicit Snapshot(const Call& call) {
    for (const Array* array : {&call.input, &call.indices, &call.updates, &call.output}) {
      before_.insert({array->memory, array->memory->bytes()});
    }
  }
  // Takes over what an array holds now.
  void accept(const Array& array) {
    std::vector<std::byte>& before = before_.at(array.memory);
    for (int64_t p = 0; p < array.elements(); ++p) {
      const std::byte* from = array.at(p);
      std::memcpy(before.data() + (from - array.memory->data()), from,
                  static_cast<size_t>(array.dtype.size));
    }
  }
  void restore() const {
    for (const auto& [memory, before] : before_) std::ranges::copy(before, memory->data());
  }
  bool unchanged() const {
    return std::ranges::all_of(before_, [](const auto& entry) {
      const auto& [memory, before] = entry;
      return memory->guards_intact() && std::ranges::equal(before, memory->view());
    });
  }

 private:
  std::map<std::shared_ptr<GuardedBuffer>, std::vector<std::byte>> before_;
};

// Whether the output holds the elements that it should.
bool holds(const Call& call, const std::vector<std::byte>& expected) {
  const std::vector<std::byte> found = call.output.pack();
  if (call.options.reduction == Reduction::kNone) return found == expected;
  const auto size = static_cast<size_t>(call.output.dtype.size);
  for (size_t i = 0; i < found.size(); i += size) {
    if (!same_element(call.output.dtype.kind, &found[i], &expected[i])) return false;
  }
  return found.size() == expected.size();
}

// A message; what an IndexPlan finds before it is used does not name the function.
std::string what(const std::string& error, Way way) {
  return way == Way::kIndexPlan ? error.substr(error.find(':') + 1) : error;
}

void check(const Call& call, const Answer& expected, Way way) {
  Snapshot snapshot(call);
  std::string error;
  try {
    run(call, way);
  } catch (const Error& caught) {
    error = caught.what();
  }
  REQUIRE(what(error, way) == what(expected.error, way));
  if (error.empty()) REQUIRE(holds(call, expected.elements));
  if (error.empty() || way == Way::kScratch) snapshot.accept(call.output);
  REQUIRE(snapshot.unchanged());
}

// The same call on every target and number of threads.
void check_on_every_backend(const Call& call, Way way) {
  const Answer expected = answer(call);
  const Snapshot before(call);
  for (std::string_view target : cpu_targets()) {
    for (int threads : kThreads) {
      INFO("target ", std::string(target), " threads ", threads);
      const Configured configured(target, threads, 1);
      before.restore();
      check(call, expected, way);
    }
  }
}

void check_random_calls(Operator op, Way way, uint64_t seed) {
  Random random(seed);
  for (int trial = 0; trial < kCalls; ++trial) {
    INFO("trial ", trial);
    Call call = random_call(random, op);
    if (way == Way::kScratch) place(random, {&call.output});
    check_on_every_backend(call, way);
  }
}

}  // namespace

TEST_CASE("gather_nd") { check_random_calls(Operator::kGather, Way::kFunction, 61); }

TEST_CASE("gather_nd into scratch") { check_random_calls(Operator::kGather, Way::kScratch, 62); }

TEST_CASE("scatter_nd") { check_random_calls(Operator::kScatter, Way::kFunction, 63); }

TEST_CASE("scatter_nd into scratch") { check_random_calls(Operator::kScatter, Way::kScratch, 66); }

TEST_CASE("IndexPlan gather") { check_random_calls(Operator::kGather, Way::kIndexPlan, 64); }

TEST_CASE("IndexPlan scatter") { check_random_calls(Operator::kScatter, Way::kIndexPlan, 65); }

}  // namespace gathernd::test
