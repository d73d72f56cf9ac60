// Libraries that ask for an executable stack get none. Each case is a process of its own, because a
// library is opened once.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "answers.hpp"
#include "d3d12/runtime/plain_stack.hpp"
#include "d3d12/runtime/platform.hpp"

namespace gathernd::testing {
namespace {

void check_stack() {
  std::ifstream maps("/proc/self/maps");
  std::string line, stack;
  while (std::getline(maps, line)) {
    if (line.ends_with("[stack]")) stack = line;
  }
  CAPTURE(stack);
  CHECK(stack.find(" rw-p ") != std::string::npos);
}

void check_outer(const std::string& name) {
  void* library = d3d12::open_with_plain_stack(name.c_str());
  REQUIRE(library != nullptr);
  void* outer = d3d12::find_symbol(library, "outer");
  REQUIRE(outer != nullptr);
  CHECK(reinterpret_cast<int (*)()>(outer)() == 42);
  check_stack();
}

// The copies are what the backend then finds by their names. Of a vkd3d that asks for nothing there
// are none.
TEST_CASE("plain stack: vkd3d's copies serve the backend" * doctest::skip()) {
  d3d12::open_with_plain_stack("libvkd3d-utils.so.1");
  CHECK(check_gather({.outer = {7}, .indexed = {3}, .slice = {2}}));
  CHECK(check_scatter({.outer = {40}, .indexed = {5}, .slice = {3}, .reduction = Reduction::kAdd}));
  check_stack();
}

TEST_CASE("plain stack: path of a library that needs another beside it" * doctest::skip()) {
  check_outer(std::string(std::getenv("EXECUTABLE_STACK")) + "/libexecutable_stack_outer.so");
}

TEST_CASE("plain stack: name of a library in LD_LIBRARY_PATH" * doctest::skip()) {
  check_outer("libexecutable_stack_outer.so");
}

TEST_CASE("plain stack: a library that asks for none, and no library") {
  CHECK(d3d12::open_with_plain_stack("libc.so.6") == nullptr);
  CHECK(d3d12::open_with_plain_stack("/nothing/libd3d12.so") == nullptr);
  CHECK(d3d12::open_with_plain_stack("/dev/zero") == nullptr);
  CHECK(d3d12::open_with_plain_stack("/proc/self/maps") == nullptr);
}

}  // namespace
}  // namespace gathernd::testing
