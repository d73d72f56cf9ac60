#include "fuzz.hpp"

#include <cstdio>
#include <cstdlib>

namespace gathernd::fuzz {

void fail(std::string_view what) {
  std::fprintf(stderr, "FAULT: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

test::Configured random_configuration(test::Random& random) {
  const auto names = cpu_targets();
  const auto target = static_cast<size_t>(random(0, std::ssize(names) - 1));
  return {names[target], random.one_of({1, 1, 2, 3, 7}), random.one_of<int64_t>({0, 1, 1, 16})};
}

}  // namespace gathernd::fuzz

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // A failed assertion in the tests' own helpers is a fault, too.
  static doctest::Context context;
  context.setAsDefaultForAssertsOutOfTestCases();
  context.setAssertHandler([](const doctest::AssertData& data) {
    if (data.m_failed) gathernd::fuzz::fail(data.m_expr);
  });
  return 0;
}
