// The errors that depend on index values.
#include <string>

#include "gathernd/error.hpp"
#include "gathernd/plan.hpp"

namespace gathernd {
namespace {

// Converts a position in plan.positions to one in plan.given_positions.
int64_t given_position(const Plan& plan, int64_t position) {
  int64_t result = 0, step = 1;
  for (int i = plan.positions.size() - 1; i >= 0; --i) {
    result += position % plan.positions[i] * step;
    position /= plan.positions[i];
    step *= plan.given_positions[i];
  }
  return result;
}

// "3, 1": the coordinates of a position. They are the same in positions and given_positions.
std::string coordinates(const Plan& plan, int64_t position) {
  std::string s;
  for (int i = plan.positions.size() - 1; i >= 0; --i) {
    s = std::to_string(position % plan.positions[i]) + (s.empty() ? "" : ", ") + s;
    position /= plan.positions[i];
  }
  return s;
}

}  // namespace

void throw_bad_tuple(const Plan& plan, const BadTuple& bad) {
  const std::string at = coordinates(plan, bad.position);
  const DType& type = plan.components.empty()
                          ? plan.index_type
                          : plan.components[static_cast<size_t>(bad.component)].index_type;
  const std::string value = is_signed_index(type.kind)
                                ? std::to_string(bad.value)
                                : std::to_string(static_cast<uint64_t>(bad.value));
  const bool is_negative = is_signed_index(type.kind) && bad.value < 0;
  const bool unwrapped = is_negative && !plan.wrap_negative_indices && plan.mode == Mode::kRaise;
  const std::string message =
      std::string(name(plan.op)) + ": index " + value + " at indices[" + at +
      (at.empty() ? "" : ", ") + std::to_string(bad.component) + "] is out of range for axis " +
      std::to_string(plan.batch_dims + bad.component) + " of size " +
      std::to_string(plan.dims[bad.component]) +
      (unwrapped ? "; negative indices do not wrap (wrap_negative_indices=False)" : "");
  throw BadTupleError(message, {given_position(plan, bad.position), bad.component, bad.value});
}

void throw_duplicate(const Plan& plan, int64_t first, int64_t second) {
  const std::string message = std::string(name(plan.op)) + ": indices[" + coordinates(plan, first) +
                              "] and indices[" + coordinates(plan, second) +
                              "] address the same slice (duplicates=\"error\")";
  throw DuplicateError(message, given_position(plan, first), given_position(plan, second));
}

}  // namespace gathernd
