#include "core/reductions.hpp"

namespace gathernd {

bool is_ordering(Reduction reduction) {
  return reduction == Reduction::kMin || reduction == Reduction::kMax;
}

bool is_reducible(Kind kind, Reduction reduction) {
  if (reduction == Reduction::kNone) return true;
  const bool bitwise = reduction >= Reduction::kAnd, ordering = is_ordering(reduction);
  if (kind == Kind::kBool) return bitwise || ordering;
  if (is_index(kind)) return true;
  if (kind <= Kind::kLongDouble) return !bitwise;
  if (kind <= Kind::kComplexLongDouble) return !bitwise && !ordering;
  if (is_time(kind) && ordering) return true;
  return kind == Kind::kTimedelta && (reduction == Reduction::kAdd || reduction == Reduction::kSub);
}

bool is_idempotent(Reduction reduction) {
  return reduction == Reduction::kNone || is_ordering(reduction) || reduction == Reduction::kAnd ||
         reduction == Reduction::kOr;
}

bool rounds_once(Kind kind, Reduction reduction) {
  const bool is_half = kind == Kind::kFloat16 || kind == Kind::kBFloat16;
  return is_half && reduction != Reduction::kNone && !is_ordering(reduction);
}

bool order_shows(Kind kind, Reduction reduction) {
  if (reduction == Reduction::kNone) return true;
  // A sum of times that is NaT stays NaT, so the order matters.
  if (is_time(kind)) return !is_ordering(reduction);
  return !is_index(kind);
}

}  // namespace gathernd
