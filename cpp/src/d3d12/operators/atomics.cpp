#include "d3d12/operators/atomics.hpp"

namespace gathernd::d3d12 {

bool has_atomics(const Plan& plan, uint64_t row_bytes) {
  if (row_bytes % 4 != 0) return false;
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

Atomics atomics_for(const Plan& plan) {
  const Op op = op_for(plan.reduction);
  const bool is_64_bits = op == kAdd && plan.dtype.size == 8;
  const Atomics::Order order = plan.dtype.kind == Kind::kFloat32  ? Atomics::kFloat
                               : is_signed_index(plan.dtype.kind) ? Atomics::kSigned
                                                                  : Atomics::kUnsigned;
  const bool complements = plan.reduction == Reduction::kMin || plan.reduction == Reduction::kAnd ||
                           plan.reduction == Reduction::kSub;
  return {is_64_bits ? 8u : 4u, op, order, complements ? UINT32_MAX : 0};
}

}  // namespace gathernd::d3d12
