// The answer of a plain loop to a case, and the answer of the device.
#pragma once

#include <string>

#include "cases.hpp"

namespace gathernd::testing {

// What a call did: the bytes of its output, or the error.
struct Answer {
  Bytes bytes;
  std::string error;
  bool operator==(const Answer&) const = default;
};

Answer expected_gather(const Case& c, Arrays& arrays);
Answer device_gather(const Case& c, Arrays& arrays);
Answer expected_scatter(const Case& c, Arrays& arrays);
Answer device_scatter(const Case& c, Arrays& arrays);
Answer device_memory_scatter(const Case& c, Arrays& arrays);

// Compares the two answers; says whether they are equal, and prints the case if not.
bool check_gather(const Case& c);
bool check_scatter(const Case& c);
bool check_scatter(const Case& c, Arrays& arrays);

}  // namespace gathernd::testing
