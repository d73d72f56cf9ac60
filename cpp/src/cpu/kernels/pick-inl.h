// Minima and maxima of float32 and float64, as Min and Max of combine.hpp, but in vector registers:
// compilers would move both numbers to others and back. Included once per target by the
// files of reductions.

#if defined(GATHERND_PICK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_PICK_INL_H_
#undef GATHERND_PICK_INL_H_
#else
#define GATHERND_PICK_INL_H_
#endif

#include <concepts>

#include "cpu/kernels/combinations.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether the target has vectors: Highway's targets of plain loops have none.
inline constexpr bool kIsVectorTarget = HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128;

template <class Op, class T>
inline constexpr bool kPicks =
    kOrders<Op> && (std::same_as<T, float> || std::same_as<T, double>) && kIsVectorTarget;

template <class Op, class T, class V>
HWY_INLINE V CombineVectors(V a, V b)
  requires kPicks<Op, T>
{
  // Of two zeros x86 takes the second operand, so both orders are taken.
  V picked;
  if constexpr (std::same_as<Op, Max>) {
    picked = hn::And(hn::Max(a, b), hn::Max(b, a));
  } else {
    picked = hn::Or(hn::Min(a, b), hn::Min(b, a));
  }
  const V found = hn::IfThenElse(hn::IsNaN(b), b, picked);
  return hn::IfThenElse(hn::IsNaN(a), a, found);
}

template <class Op, class T>
HWY_INLINE T Combine(T a, T b)
  requires kPicks<Op, T>
{
  const hn::CappedTag<T, 1> d;
  return hn::GetLane(CombineVectors<Op, T>(hn::Set(d, a), hn::Set(d, b)));
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
