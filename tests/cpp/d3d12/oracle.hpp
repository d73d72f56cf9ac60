// The definition of the operators as plain loops over packed arrays.
#pragma once

#include <cstdint>
#include <vector>

#include "cases.hpp"

namespace gathernd::testing {

inline constexpr int64_t kOutside = -1;

// The row of the table that each tuple addresses, or kOutside.
std::vector<int64_t> resolve(const Case& c, const Array& indices);

// Of a call without errors.
Bytes gather_loop(const Case& c, const Arrays& arrays, const std::byte* fill_value);
Bytes scatter_loop(const Case& c, const Arrays& arrays);

}  // namespace gathernd::testing
