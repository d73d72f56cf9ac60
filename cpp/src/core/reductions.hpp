// What is known of the reductions, on every backend. core/kinds.hpp says which kinds of elements
// have which; is_reducible in gathernd/plan.hpp asks that.
#pragma once

#include <cstdint>

#include "gathernd/plan.hpp"

namespace gathernd {

// Reductions that are defined for the same kinds of elements. A set of families is their sum.
enum Family : uint8_t { kSums = 1, kProducts = 2, kOrderings = 4, kBitwise = 8 };

// The element that changes no other.
enum class Neutral : uint8_t { kZero, kOne, kAllBits, kLeast, kGreatest };

struct ReductionFacts {
  const char* name;
  uint8_t family;   // of kNone: none
  Neutral neutral;  // of integers
  bool idempotent;  // repeating a whole sequence of updates changes nothing
  bool combines;    // parts that are reduced apart, from the neutral element, combine by itself
};

const ReductionFacts& facts_of(Reduction reduction);

// Whether it is min or max.
inline bool is_ordering(Reduction reduction) { return facts_of(reduction).family == kOrderings; }

// Whether all updates of an element are combined in float32 and rounded once: sums and products of
// halves.
bool rounds_once(Kind kind, Reduction reduction);

// Whether the result depends on the order of the updates.
bool order_shows(Kind kind, Reduction reduction);

}  // namespace gathernd
