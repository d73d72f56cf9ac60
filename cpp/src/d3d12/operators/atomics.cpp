#include "d3d12/operators/atomics.hpp"

namespace gathernd::d3d12 {
namespace {

// Up to this many bytes per row, atomics are faster than ordered reductions on an H200; the second
// number is for tables whose elements only grow.
constexpr uint64_t kLongestRow = 64, kLongestGrowing = 32;

// Whether the result does not depend on the order of the updates, and devices have atomics for it.
bool has_atomics(const Plan& plan, uint64_t row_bytes) {
  const bool is_integer = is_index(plan.dtype.kind);
  switch (op_for(plan.reduction)) {
    case kSet:  // a longer row could end up with words of several updates
      return plan.duplicates == Duplicates::kAny && row_bytes == 4;
    case kAdd:
      return is_integer && plan.dtype.size >= 4;
    case kMul:
      return false;
    case kMax:
      return plan.dtype.size == 4 && (is_integer || plan.dtype.kind == Kind::kFloat32);
    default:
      return is_integer;
  }
}

}  // namespace

std::optional<Atomics> atomics_for(const Plan& plan, const Geometry& g, const Operands& operands) {
  const Op op = op_for(plan.reduction);
  if (!has_atomics(plan, g.row_bytes) || g.row_bytes % 4 != 0) return {};
  // As Resolver::is_sparse(), but for any number of chunks.
  const bool few = operands.source == nullptr && g.rows > limits().sparse * g.tuples;
  // A known order is even faster.
  if (operands.prepared != nullptr && op != kSet && !few) return {};
  const bool is_wide = op == kAdd && plan.dtype.size == 8;
  const Atomics::Order order = plan.dtype.kind == Kind::kFloat32  ? Atomics::kFloat
                               : is_signed_index(plan.dtype.kind) ? Atomics::kSigned
                                                                  : Atomics::kUnsigned;
  const bool complements = plan.reduction == Reduction::kMin || plan.reduction == Reduction::kAnd ||
                           plan.reduction == Reduction::kSub;
  const Atomics result = {is_wide ? 8u : 4u, op, order, complements ? UINT32_MAX : 0};
  const uint64_t longest = result.grows() ? kLongestGrowing : kLongestRow;
  if (g.row_bytes > longest && !few) return {};
  return result;
}

}  // namespace gathernd::d3d12
