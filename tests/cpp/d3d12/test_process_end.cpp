// The end of a process, in forked children.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "d3d12/runtime/platform.hpp"

namespace gathernd::testing {
namespace {

struct End {
  int status;
  std::string written;
};

// A child that ends with status 3. An earlier exit handler ends it with status 7.
End end_child(bool (*at_exit)()) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  std::fflush(nullptr);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::atexit([] { _exit(7); });
    d3d12::call_at_exit(at_exit);
    std::fputs("written", fdopen(ends[1], "w"));  // stays in the buffer
    std::exit(3);
  }
  close(ends[1]);
  std::array<char, 64> bytes{};
  const ssize_t size = read(ends[0], bytes.data(), bytes.size());
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return {WEXITSTATUS(status), std::string(bytes.data(), static_cast<size_t>(size))};
}

TEST_CASE("process end: earlier exit handlers run if it may go on") {
  CHECK(end_child([] { return true; }).status == 7);
}

TEST_CASE("process end: else they do not, and the status and files are as they should be") {
  const End end = end_child([] { return false; });
  CHECK(end.status == 3);
  CHECK(end.written == "written");
}

}  // namespace
}  // namespace gathernd::testing
