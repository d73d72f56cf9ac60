// vkd3d without the executable stacks that some builds of it ask for.
#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "answers.hpp"
#include "d3d12/plain_stack.hpp"

namespace gathernd::testing {
namespace {

// In a process of its own: the copies are what the backend then finds by their names. Of a vkd3d
// that asks for nothing there are none.
TEST_CASE("plain stack: the backend works with copies of vkd3d" * doctest::skip()) {
  d3d12::open_with_plain_stack("libvkd3d-utils.so.1");
  CHECK(check_gather({.outer = {7}, .indexed = {3}, .slice = {2}}));
  CHECK(check_scatter({.outer = {40}, .indexed = {5}, .slice = {3}, .reduction = Reduction::kAdd}));
  std::ifstream maps("/proc/self/maps");
  std::string line, stack;
  while (std::getline(maps, line)) {
    if (line.ends_with("[stack]")) stack = line;
  }
  CAPTURE(stack);
  CHECK(stack.find(" rw-p ") != std::string::npos);
}

}  // namespace
}  // namespace gathernd::testing
