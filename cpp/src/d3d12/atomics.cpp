#include "atomics.hpp"

namespace gathernd::d3d12 {
namespace {

std::optional<Atomics::Op> op_for(const Plan& plan, uint64_t row_bytes) {
  const Kind kind = plan.dtype.kind;
  const bool is_integer = is_index(kind), is_word = plan.dtype.size == 4;
  switch (plan.reduction) {
    case Reduction::kNone:  // of a longer row, words of several updates could stay
      if (plan.duplicates == Duplicates::kAny && row_bytes == 4) return Atomics::kSet;
      return {};
    case Reduction::kAdd:
    case Reduction::kSub:
      if (is_integer && plan.dtype.size >= 4) return Atomics::kAdd;
      return {};
    case Reduction::kMin:
    case Reduction::kMax:
      if (is_word && (is_integer || kind == Kind::kFloat32)) return Atomics::kMax;
      return {};
    case Reduction::kAnd:
    case Reduction::kOr:
      if (is_integer) return Atomics::kOr;
      return {};
    case Reduction::kXor:
      if (is_integer) return Atomics::kXor;
      return {};
    default:
      return {};
  }
}

}  // namespace

std::optional<Atomics> atomics_for(const Plan& plan, const Geometry& g, const Operands& operands) {
  const std::optional<Atomics::Op> op = op_for(plan, g.row_bytes);
  if (!op || g.row_bytes % 4 != 0) return {};
  // As is_sparse(), but in any number of chunks.
  const bool few = operands.source == nullptr && g.rows > limits().sparse * g.tuples;
  if (g.row_bytes > limits().atomic_row && !few) return {};
  // An order that is known is faster still.
  if (operands.prepared != nullptr && *op != Atomics::kSet && !few) return {};
  const bool is_wide = *op == Atomics::kAdd && plan.dtype.size == 8;
  const Atomics::Order order = plan.dtype.kind == Kind::kFloat32  ? Atomics::kFloat
                               : is_signed_index(plan.dtype.kind) ? Atomics::kSigned
                                                                  : Atomics::kUnsigned;
  const bool turns = plan.reduction == Reduction::kMin || plan.reduction == Reduction::kAnd ||
                     plan.reduction == Reduction::kSub;
  return Atomics{is_wide ? 8u : 4u, *op, order, turns ? UINT32_MAX : 0};
}

}  // namespace gathernd::d3d12
