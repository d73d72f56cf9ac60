#include "core/reductions.hpp"

#include <array>

#include "core/kinds.hpp"
#include "core/options.hpp"

namespace gathernd {
namespace {

// In the order of Reduction.
constexpr std::array kReductionFacts = {
    //             name   family      neutral             idempotent combines
    ReductionFacts{"none", 0, Neutral::kZero, true, false},
    ReductionFacts{"add", kSums, Neutral::kZero, false, true},
    ReductionFacts{"sub", kSums, Neutral::kZero, false, false},
    ReductionFacts{"mul", kProducts, Neutral::kOne, false, true},
    ReductionFacts{"min", kOrderings, Neutral::kGreatest, true, true},
    ReductionFacts{"max", kOrderings, Neutral::kLeast, true, true},
    ReductionFacts{"and", kBitwise, Neutral::kAllBits, true, true},
    ReductionFacts{"or", kBitwise, Neutral::kZero, true, true},
    ReductionFacts{"xor", kBitwise, Neutral::kZero, false, true},
};

bool is_in(Reduction reduction, uint8_t families) {
  return (facts_of(reduction).family & families) != 0;
}

}  // namespace

const ReductionFacts& facts_of(Reduction reduction) {
  return kReductionFacts[static_cast<size_t>(reduction)];
}

const char* name(Reduction reduction) { return facts_of(reduction).name; }

std::span<const Reduction> all_reductions() {
  static constexpr auto kAll = all_of<Reduction, kReductionFacts.size()>();
  return kAll;
}

bool is_reducible(Kind kind, Reduction reduction) {
  return reduction == Reduction::kNone ||
         (is_one_of(all_reductions(), reduction) && is_in(reduction, facts_of(kind).reductions));
}

bool rounds_once(Kind kind, Reduction reduction) {
  return is_in(reduction, facts_of(kind).rounded_once);
}

bool order_shows(Kind kind, Reduction reduction) {
  return !is_in(reduction, facts_of(kind).in_any_order);
}

}  // namespace gathernd
