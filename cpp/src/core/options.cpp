#include "core/options.hpp"

namespace gathernd {
namespace {

struct ModeFacts {
  const char* name;
  bool gathers, scatters;  // which operators take it; an IndexPlan takes all
};

// In the order of Mode.
constexpr std::array kModes = {
    ModeFacts{"raise", true, true}, ModeFacts{"clip", true, true},  ModeFacts{"wrap", true, true},
    ModeFacts{"fill", true, false}, ModeFacts{"drop", false, true},
};
constexpr std::array kDuplicates = {"last", "first", "error", "any"};
constexpr std::array kOperators = {"gather_nd", "scatter_nd", "IndexPlan"};

const ModeFacts& facts_of(Mode mode) { return kModes[static_cast<size_t>(mode)]; }

}  // namespace

const char* name(Operator op) { return kOperators[static_cast<size_t>(op)]; }
const char* name(Mode mode) { return facts_of(mode).name; }
const char* name(Duplicates duplicates) { return kDuplicates[static_cast<size_t>(duplicates)]; }

std::span<const Mode> all_modes() {
  static constexpr auto kAll = all_of<Mode, kModes.size()>();
  return kAll;
}

std::span<const Duplicates> all_duplicates() {
  static constexpr auto kAll = all_of<Duplicates, kDuplicates.size()>();
  return kAll;
}

bool takes(Operator op, Mode mode) {
  return op == Operator::kIndexPlan ||
         (op == Operator::kGather ? facts_of(mode).gathers : facts_of(mode).scatters);
}

}  // namespace gathernd
