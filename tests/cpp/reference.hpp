// The contract as plain loops: what the library is compared with.
#pragma once

#include <optional>
#include <vector>

#include "elements.hpp"
#include "gathernd/plan.hpp"
#include "support.hpp"

namespace gathernd::test {

inline constexpr Kind kIndexKinds[] = {Kind::kInt8,  Kind::kInt16,  Kind::kInt32,  Kind::kInt64,
                                       Kind::kUInt8, Kind::kUInt16, Kind::kUInt32, Kind::kUInt64};

// Writes the low bytes of an index, in the byte order of the type.
void store_index(std::byte* to, const DType& type, int64_t value);

// What was stored, as a number: 64 bits with a sign or without one.
__int128 load_index(const std::byte* from, const DType& type);

// An index value that a kind can hold: mostly within [-size, size), else near a limit.
int64_t random_index(Random& random, Kind kind, int64_t size, bool legal);

struct Outcome {
  enum What { kIndex, kHole, kError } what;
  int64_t index = 0;
};

// What a mode makes of an index value.
Outcome settle(__int128 value, int64_t size, Mode mode, bool wraps = true);

}  // namespace gathernd::test
