// Makes a whole call of gather_nd, scatter_nd or an IndexPlan from the input, and compares it with
// plain loops: the right elements or the right error, and no other byte changed.
#include "checked_call.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gathernd;
  using test::Way;
  test::Random random(std::span(data, size));
  const test::Configured configured = fuzz::random_configuration(random);
  const auto op = random.one_of({Operator::kGather, Operator::kScatter});
  const auto way =
      random.one_of({Way::kFunction, Way::kScratch, Way::kComponents, Way::kIndexPlan});
  test::Call call = test::random_call(random, op, random.one_in(40) ? 1 : 30);
  if (way == Way::kScratch) test::place(random, {&call.output});
  if (way == Way::kComponents) test::add_components(random, &call);
  const std::string what = test::failure_of(call, test::answer(call), way);
  fuzz::check(what.empty(), what);
  return 0;
}
