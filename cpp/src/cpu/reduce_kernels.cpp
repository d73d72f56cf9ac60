// Updates combined in the order of the tuples. Compiled once a SIMD target.
#include "cpu/simd_targets.hpp"

#include "cpu/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/reduce_kernels.cpp"
#include "hwy/foreach_target.h"  // must come before what is compiled once a target

#include "hwy/highway.h"

#include "cpu/reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {

// Rows of complex numbers add as rows of their parts, for which there are vectors.
template <class Op, class T>
struct PartOf {
  using Type = T;
};
template <class T>
struct PartOf<Add, Complex<T>> {
  using Type = T;
};
template <class T>
struct PartOf<Sub, Complex<T>> {
  using Type = T;
};

template <class Op, class T>
constexpr ReduceKernels kReduce = {ReduceRows<Op, typename PartOf<Op, T>::Type>,
                                   ReduceElements<Op, T>};

// Sums, products and bits of integers do not care for the sign.
template <class Op>
ReduceKernels SelectInteger(Kind kind) {
  switch (kind) {
    case Kind::kInt8:
    case Kind::kUInt8:
      return kReduce<Op, uint8_t>;
    case Kind::kInt16:
    case Kind::kUInt16:
      return kReduce<Op, uint16_t>;
    case Kind::kInt32:
    case Kind::kUInt32:
      return kReduce<Op, uint32_t>;
    case Kind::kInt64:
    case Kind::kUInt64:
      return kReduce<Op, uint64_t>;
    default:
      return {};
  }
}

template <class Op>
ReduceKernels SelectArithmetic(Kind kind) {
  switch (kind) {
    case Kind::kFloat32:
      return kReduce<Op, float>;
    case Kind::kFloat64:
      return kReduce<Op, double>;
    case Kind::kLongDouble:
      return kReduce<Op, long double>;
    case Kind::kComplex64:
      return kReduce<Op, Complex<float>>;
    case Kind::kComplex128:
      return kReduce<Op, Complex<double>>;
    case Kind::kComplexLongDouble:
      return kReduce<Op, Complex<long double>>;
    default:
      return SelectInteger<Op>(kind);
  }
}

template <class Op>
ReduceKernels SelectOrdering(Kind kind) {
  switch (kind) {
    case Kind::kBool:
      return kReduce<Op, Bool>;
    case Kind::kInt8:
      return kReduce<Op, int8_t>;
    case Kind::kInt16:
      return kReduce<Op, int16_t>;
    case Kind::kInt32:
      return kReduce<Op, int32_t>;
    case Kind::kInt64:
      return kReduce<Op, int64_t>;
    case Kind::kFloat16:
      return kReduce<Op, Half>;
    case Kind::kBFloat16:
      return kReduce<Op, BFloat16>;
    case Kind::kFloat32:
      return kReduce<Op, float>;
    case Kind::kFloat64:
      return kReduce<Op, double>;
    case Kind::kLongDouble:
      return kReduce<Op, long double>;
    default:
      return SelectInteger<Op>(kind);
  }
}

template <class Op>
ReduceKernels SelectBits(Kind kind) {
  return kind == Kind::kBool ? kReduce<Op, Bool> : SelectInteger<Op>(kind);
}

ReduceKernels SelectRows(Kind kind, Reduction reduction) {
  switch (reduction) {
    case Reduction::kNone:
      return {};
    case Reduction::kAdd:
      return SelectArithmetic<Add>(kind);
    case Reduction::kSub:
      return SelectArithmetic<Sub>(kind);
    case Reduction::kMul:
      return SelectArithmetic<Mul>(kind);
    case Reduction::kMin:
      return SelectOrdering<Min>(kind);
    case Reduction::kMax:
      return SelectOrdering<Max>(kind);
    case Reduction::kAnd:
      return SelectBits<And>(kind);
    case Reduction::kOr:
      return SelectBits<Or>(kind);
    case Reduction::kXor:
      return SelectBits<Xor>(kind);
  }
  return {};
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gathernd {

HWY_EXPORT(SelectRows);

SelectReduce reduce_kernels(int64_t target) {
  return entry_of(HWY_DISPATCH_TABLE(SelectRows), target);
}

}  // namespace gathernd
#endif  // HWY_ONCE
