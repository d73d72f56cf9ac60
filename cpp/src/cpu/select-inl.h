// Which reduction for which kind of element. Included once a target by the files of reductions: By
// says which way through the updates they take.

#if defined(GATHERND_SELECT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_SELECT_INL_H_
#undef GATHERND_SELECT_INL_H_
#else
#define GATHERND_SELECT_INL_H_
#endif

#include "cpu/combine.hpp"
#include "gathernd/plan.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {

// Sums, products and bits of integers do not care for the sign.
template <class By, class Op>
typename By::Fn SelectInteger(Kind kind) {
  switch (kind) {
    case Kind::kInt8:
    case Kind::kUInt8:
      return By::template kFn<Op, uint8_t>;
    case Kind::kInt16:
    case Kind::kUInt16:
      return By::template kFn<Op, uint16_t>;
    case Kind::kInt32:
    case Kind::kUInt32:
      return By::template kFn<Op, uint32_t>;
    case Kind::kInt64:
    case Kind::kUInt64:
      return By::template kFn<Op, uint64_t>;
    default:
      return {};
  }
}

template <class By, class Op>
typename By::Fn SelectArithmetic(Kind kind) {
  switch (kind) {
    case Kind::kFloat16:
      if constexpr (By::kHalfSums) return By::template kFn<Op, Half>;
      return {};
    case Kind::kBFloat16:
      if constexpr (By::kHalfSums) return By::template kFn<Op, BFloat16>;
      return {};
    case Kind::kFloat32:
      return By::template kFn<Op, float>;
    case Kind::kFloat64:
      return By::template kFn<Op, double>;
    case Kind::kLongDouble:
      return By::template kFn<Op, long double>;
    case Kind::kComplex64:
      return By::template kFn<Op, Complex<float>>;
    case Kind::kComplex128:
      return By::template kFn<Op, Complex<double>>;
    case Kind::kComplexLongDouble:
      return By::template kFn<Op, Complex<long double>>;
    default:
      return SelectInteger<By, Op>(kind);
  }
}

template <class By, class Op>
typename By::Fn SelectOrdering(Kind kind) {
  switch (kind) {
    case Kind::kBool:
      return By::template kFn<Op, Bool>;
    case Kind::kInt8:
      return By::template kFn<Op, int8_t>;
    case Kind::kInt16:
      return By::template kFn<Op, int16_t>;
    case Kind::kInt32:
      return By::template kFn<Op, int32_t>;
    case Kind::kInt64:
      return By::template kFn<Op, int64_t>;
    case Kind::kFloat16:
      return By::template kFn<Op, HalfBits>;
    case Kind::kBFloat16:
      return By::template kFn<Op, BFloat16Bits>;
    case Kind::kFloat32:
      return By::template kFn<Op, float>;
    case Kind::kFloat64:
      return By::template kFn<Op, double>;
    case Kind::kLongDouble:
      return By::template kFn<Op, long double>;
    default:
      return SelectInteger<By, Op>(kind);
  }
}

template <class By, class Op>
typename By::Fn SelectBits(Kind kind) {
  return kind == Kind::kBool ? By::template kFn<Op, Bool> : SelectInteger<By, Op>(kind);
}

// Null where the reduction has no such form.
template <class By>
typename By::Fn SelectOp(Kind kind, Reduction reduction) {
  switch (reduction) {
    case Reduction::kNone:
      return {};
    case Reduction::kAdd:
      return SelectArithmetic<By, Add>(kind);
    case Reduction::kSub:
      return SelectArithmetic<By, Sub>(kind);
    case Reduction::kMul:
      return SelectArithmetic<By, Mul>(kind);
    case Reduction::kMin:
      return SelectOrdering<By, Min>(kind);
    case Reduction::kMax:
      return SelectOrdering<By, Max>(kind);
    case Reduction::kAnd:
      return SelectBits<By, And>(kind);
    case Reduction::kOr:
      return SelectBits<By, Or>(kind);
    case Reduction::kXor:
      return SelectBits<By, Xor>(kind);
  }
  return {};
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
