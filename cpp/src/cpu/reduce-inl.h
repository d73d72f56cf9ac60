// Rows combined into the table, one after the other. Included once a target by kernels.cpp: the
// loops are plain, and the compiler turns them into the target's vectors.

#if defined(GATHERND_REDUCE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_REDUCE_INL_H_
#undef GATHERND_REDUCE_INL_H_
#else
#define GATHERND_REDUCE_INL_H_
#endif

#include <cstring>

#include "cpu/combine.hpp"
#include "cpu/kernels.hpp"
#include "cpu/move-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {

// *to = *to op *from; neither need be aligned.
template <class Op, class T>
HWY_INLINE void CombineOne(std::byte* to, const std::byte* from) {
  T a, b;
  std::memcpy(&a, to, sizeof a);
  std::memcpy(&b, from, sizeof b);
  a = Op::apply(a, b);
  std::memcpy(to, &a, sizeof a);
}

template <class Op, class T, class O>
void ReduceRows(const ScatterTile<O>& tile) {
  if (tile.bytes == sizeof(T)) {
    return ForEachTarget(tile, sizeof(T), [](std::byte* to, const std::byte* from) HWY_ATTR {
      CombineOne<Op, T>(to, from);
    });
  }
  const size_t bytes = tile.bytes;
  ForEachTarget(tile, bytes,
                [bytes](std::byte* HWY_RESTRICT to, const std::byte* HWY_RESTRICT from) HWY_ATTR {
                  for (size_t i = 0; i < bytes; i += sizeof(T)) CombineOne<Op, T>(to + i, from + i);
                });
}

// Adds that wrap and bits do not care for the sign.
template <class Op, class O>
ReduceFn<O> ReduceInteger(Kind kind) {
  switch (kind) {
    case Kind::kInt8:
    case Kind::kUInt8:
      return ReduceRows<Op, uint8_t, O>;
    case Kind::kInt16:
    case Kind::kUInt16:
      return ReduceRows<Op, uint16_t, O>;
    case Kind::kInt32:
    case Kind::kUInt32:
      return ReduceRows<Op, uint32_t, O>;
    case Kind::kInt64:
    case Kind::kUInt64:
      return ReduceRows<Op, uint64_t, O>;
    default:
      return nullptr;
  }
}

template <class Op, class O>
ReduceFn<O> ReduceArithmetic(Kind kind) {
  switch (kind) {
    case Kind::kFloat32:
      return ReduceRows<Op, float, O>;
    case Kind::kFloat64:
      return ReduceRows<Op, double, O>;
    case Kind::kLongDouble:
      return ReduceRows<Op, long double, O>;
    case Kind::kComplex64:
      return ReduceRows<Op, Complex<float>, O>;
    case Kind::kComplex128:
      return ReduceRows<Op, Complex<double>, O>;
    case Kind::kComplexLongDouble:
      return ReduceRows<Op, Complex<long double>, O>;
    default:
      return ReduceInteger<Op, O>(kind);
  }
}

template <class Op, class O>
ReduceFn<O> ReduceOrdering(Kind kind) {
  switch (kind) {
    case Kind::kBool:
      return ReduceRows<Op, Bool, O>;
    case Kind::kInt8:
      return ReduceRows<Op, int8_t, O>;
    case Kind::kInt16:
      return ReduceRows<Op, int16_t, O>;
    case Kind::kInt32:
      return ReduceRows<Op, int32_t, O>;
    case Kind::kInt64:
      return ReduceRows<Op, int64_t, O>;
    case Kind::kFloat16:
      return ReduceRows<Op, Half, O>;
    case Kind::kBFloat16:
      return ReduceRows<Op, BFloat16, O>;
    case Kind::kFloat32:
      return ReduceRows<Op, float, O>;
    case Kind::kFloat64:
      return ReduceRows<Op, double, O>;
    case Kind::kLongDouble:
      return ReduceRows<Op, long double, O>;
    default:
      return ReduceInteger<Op, O>(kind);
  }
}

template <class Op, class O>
ReduceFn<O> ReduceBits(Kind kind) {
  return kind == Kind::kBool ? ReduceRows<Op, Bool, O> : ReduceInteger<Op, O>(kind);
}

template <class O>
ReduceFn<O> Reduce(Kind kind, Reduction reduction) {
  switch (reduction) {
    case Reduction::kNone:
      return nullptr;
    case Reduction::kAdd:
      return ReduceArithmetic<Add, O>(kind);
    case Reduction::kSub:
      return ReduceArithmetic<Sub, O>(kind);
    case Reduction::kMul:
      return ReduceArithmetic<Mul, O>(kind);
    case Reduction::kMin:
      return ReduceOrdering<Min, O>(kind);
    case Reduction::kMax:
      return ReduceOrdering<Max, O>(kind);
    case Reduction::kAnd:
      return ReduceBits<And, O>(kind);
    case Reduction::kOr:
      return ReduceBits<Or, O>(kind);
    case Reduction::kXor:
      return ReduceBits<Xor, O>(kind);
  }
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
