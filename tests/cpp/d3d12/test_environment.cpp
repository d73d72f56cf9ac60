// The environment, which drivers read and other threads may be reading.
#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "d3d12/runtime/platform.hpp"

namespace gathernd::testing {
namespace {

using d3d12::set_variable;

std::vector<std::string> list(char** variables) {
  std::vector<std::string> result;
  for (; *variables != nullptr; ++variables) result.emplace_back(*variables);
  return result;
}

std::string get(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "none";
}

TEST_CASE("environment: a variable is set and removed, and the list that others read stays") {
  char** const before = environ;
  const auto variables = list(before);
  set_variable("GATHERND_TEST", "7");
  CHECK(get("GATHERND_TEST") == "7");
  set_variable("GATHERND_TEST", "8");
  CHECK(get("GATHERND_TEST") == "8");
  CHECK(list(environ).size() == variables.size() + 1);
  set_variable("GATHERND_TEST", nullptr);
  CHECK(get("GATHERND_TEST") == "none");
  CHECK(list(environ) == variables);
  CHECK(list(before) == variables);
  CHECK(environ != before);
  setenv("GATHERND_TEST", "9", 1);  // the C library goes on from there
  CHECK(get("GATHERND_TEST") == "9");
  unsetenv("GATHERND_TEST");
  CHECK(get("GATHERND_TEST") == "none");
}

TEST_CASE("environment: other threads read it while it changes") {
  set_variable("GATHERND_STAYS", "here");
  std::atomic<bool> stop{false}, good{true};
  std::thread reader([&] {
    while (!stop) good = good && get("GATHERND_STAYS") == "here";
  });
  for (int i = 0; i < 500; ++i) {
    const std::string name = "GATHERND_TEST" + std::to_string(i % 50);
    set_variable(name.c_str(), i < 450 ? "value" : nullptr);
  }
  stop = true;
  reader.join();
  set_variable("GATHERND_STAYS", nullptr);
  CHECK(good);
}

}  // namespace
}  // namespace gathernd::testing
