// Sums and products in which the first of two NaNs stays, made quiet. Included once per target by
// the files of reductions.
//
// x86 and NEON keep the first operand. But compilers swap the operands of a + b and a * b, in some
// loops and not in others. Assembly keeps their order and takes no longer.

#if defined(GATHERND_FIRST_NAN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_FIRST_NAN_INL_H_
#undef GATHERND_FIRST_NAN_INL_H_
#else
#define GATHERND_FIRST_NAN_INL_H_
#endif

#include <concepts>

#include "cpu/kernels/combine.hpp"
#include "hwy/highway.h"

// Sets `result` to what the instruction makes of `a` and `b`, in this order.
#undef GATHERND_IN_ORDER
#if HWY_COMPILER_MSVC
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
#define GATHERND_IN_ORDER(x86, neon) asm("v" x86 " %2, %1, %0" : "=v"(result) : "v"(a), "vm"(b))
#elif HWY_ARCH_X86
#define GATHERND_IN_ORDER(x86, neon) \
  result = a;                        \
  asm(x86 " %1, %0" : "+x"(result) : "x"(b))
#elif HWY_ARCH_ARM_A64
#define GATHERND_IN_ORDER(x86, neon) asm(neon : "=w"(result) : "w"(a), "w"(b))
#endif

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Elsewhere compilers decide which NaN stays. Highway's targets of plain loops have no vectors.
#ifdef GATHERND_IN_ORDER
template <class Op, class T>
inline constexpr bool kKeepsFirstNan = (std::same_as<Op, Add> || std::same_as<Op, Mul>) &&
                                       (std::same_as<T, float> || std::same_as<T, double>);

template <class Op, class T>
HWY_INLINE T Combine(T a, T b)
  requires kKeepsFirstNan<Op, T>
{
  T result;
  if constexpr (std::same_as<Op, Add> && sizeof(T) == 4) {
    GATHERND_IN_ORDER("addss", "fadd %s0, %s1, %s2");
  } else if constexpr (std::same_as<Op, Add>) {
    GATHERND_IN_ORDER("addsd", "fadd %d0, %d1, %d2");
  } else if constexpr (sizeof(T) == 4) {
    GATHERND_IN_ORDER("mulss", "fmul %s0, %s1, %s2");
  } else {
    GATHERND_IN_ORDER("mulsd", "fmul %d0, %d1, %d2");
  }
  return result;
}

template <class Op, class T>
inline constexpr bool kHasVectors =
    kKeepsFirstNan<Op, T> && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128;

template <class Op, class T, class V>
HWY_INLINE V CombineVectors(V left, V right) {
  const auto a = left.raw, b = right.raw;
  auto result = a;
  if constexpr (std::same_as<Op, Add> && sizeof(T) == 4) {
    GATHERND_IN_ORDER("addps", "fadd %0.4s, %1.4s, %2.4s");
  } else if constexpr (std::same_as<Op, Add>) {
    GATHERND_IN_ORDER("addpd", "fadd %0.2d, %1.2d, %2.2d");
  } else if constexpr (sizeof(T) == 4) {
    GATHERND_IN_ORDER("mulps", "fmul %0.4s, %1.4s, %2.4s");
  } else {
    GATHERND_IN_ORDER("mulpd", "fmul %0.2d, %1.2d, %2.2d");
  }
  return V{result};
}
#undef GATHERND_IN_ORDER
#else
template <class Op, class T>
inline constexpr bool kKeepsFirstNan = false;
template <class Op, class T>
inline constexpr bool kHasVectors = false;
#endif

template <class Op, class T>
HWY_INLINE T Combine(T a, T b) {
  return Op::apply(a, b);
}

template <class Op, class T>
HWY_INLINE Complex<T> Combine(Complex<T> a, Complex<T> b)
  requires kKeepsFirstNan<Op, T>
{
  if constexpr (std::same_as<Op, Add>) {
    return {Combine<Add>(a.re, b.re), Combine<Add>(a.im, b.im)};
  } else {
    return {Combine<Mul>(a.re, b.re) - Combine<Mul>(a.im, b.im),
            Combine<Add>(Combine<Mul>(a.re, b.im), Combine<Mul>(a.im, b.re))};
  }
}

// Whether complex numbers are added as vectors of their parts.
template <class Op, class T>
inline constexpr bool kAddsParts = false;
template <class Op, class T>
inline constexpr bool kAddsParts<Op, Complex<T>> = std::same_as<Op, Add> && kHasVectors<Op, T>;

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
