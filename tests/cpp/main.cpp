// The test program. It names the SIMD targets that it ran, so that a log shows what was tested.
#include <doctest/doctest.h>

#include <iostream>

#include "gathernd/gathernd.hpp"

// The test of fork uses threads in the child, as a user may.
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }

int main(int argc, char** argv) {
  std::cout << "SIMD targets:";
  for (std::string_view target : gathernd::cpu_targets()) std::cout << ' ' << target;
  std::cout << std::endl;
  return doctest::Context(argc, argv).run();
}
