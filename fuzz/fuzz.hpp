// What the fuzz targets share.
#pragma once

#include <string>
#include <string_view>

#include "support.hpp"

namespace gathernd::fuzz {

// Ends the program, so that the fuzzer keeps the input.
[[noreturn]] void fail(std::string_view what);

inline void check(bool holds, std::string_view what) {
  if (!holds) fail(what);
}

// A target, threads and a grain that the input chooses.
test::Configured random_configuration(test::Random& random);

// The message of the Error that f throws, empty for none. No input takes much memory.
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
