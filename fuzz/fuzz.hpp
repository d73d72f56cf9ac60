// What the fuzz targets share.
#pragma once

#include <string>
#include <string_view>

#include "support.hpp"

namespace gathernd::fuzz {

// Aborts the program, so that the fuzzer keeps the input.
[[noreturn]] void fail(std::string_view what);

inline void check(bool holds, std::string_view what) {
  if (!holds) fail(what);
}

// The input chooses a target, a number of threads and a grain.
test::Configured random_configuration(test::Random& random);

// The message of the Error that f throws; empty if it throws none. std::bad_alloc is a fault,
// because no input needs much memory.
template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    check(error.what()[0] != '\0', "an error without a message");
    return error.what();
  }
  return "";
}

}  // namespace gathernd::fuzz
