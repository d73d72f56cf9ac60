// Rows of float16 and bfloat16 as float32 and back, with the bits of half.hpp. Included once per
// target.

#if defined(GATHERND_HALVES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GATHERND_HALVES_INL_H_
#undef GATHERND_HALVES_INL_H_
#else
#define GATHERND_HALVES_INL_H_
#endif

#include <concepts>

#include "cpu/kernels/combine.hpp"
#include "cpu/kernels/copy-inl.h"
#include "cpu/kernels/half.hpp"
#include "cpu/kernels/pick-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gathernd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The conversions of half.hpp on vectors. D: a tag of floats.
template <class D>
HWY_INLINE hn::Vec<D> ToFloats(D d, hn::Vec<hn::Rebind<uint16_t, D>> halves, BFloat16) {
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(hn::RebindToUnsigned<D>(), halves)));
}

template <class D>
HWY_INLINE hn::Vec<D> ToFloats(D d, hn::Vec<hn::Rebind<uint16_t, D>> halves, Half) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;  // in which all x86 targets can compare
  const auto bits = hn::PromoteTo(du, halves);
  const auto sign = hn::And(hn::ShiftLeft<16>(bits), hn::Set(du, 0x80000000u));
  const auto rest = hn::And(hn::ShiftLeft<13>(bits), hn::Set(du, 0x0fffe000u));
  const auto scaled = hn::BitCast(du, hn::Mul(hn::BitCast(d, rest), hn::Set(d, 0x1p112f)));
  const auto is_special = hn::Gt(hn::BitCast(di, rest), hn::Set(di, 0x0f7fffff));
  const auto all_ones = hn::IfThenElseZero(is_special, hn::Set(di, 0x7f800000));
  return hn::BitCast(d, hn::Or(hn::Or(sign, scaled), hn::BitCast(du, all_ones)));
}

template <class D>
HWY_INLINE hn::Vec<hn::Rebind<uint16_t, D>> ToHalves(D, hn::Vec<D> values, BFloat16) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(du, values);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1u));
  const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(hn::Set(du, 0x7fffu), odd)));
  const auto is_nan = hn::RebindMask(di, hn::IsNaN(values));
  const auto result = hn::IfThenElse(is_nan, hn::Set(di, 0x7fc0), hn::BitCast(di, rounded));
  return hn::DemoteTo(hn::Rebind<uint16_t, D>(), result);
}

template <class D>
HWY_INLINE hn::Vec<hn::Rebind<uint16_t, D>> ToHalves(D d, hn::Vec<D> values, Half) {
  const hn::RebindToSigned<D> di;  // magnitudes are positive
  const auto bits = hn::BitCast(di, values);
  const auto magnitude = hn::And(bits, hn::Set(di, 0x7fffffff));
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(di, 0x8000));
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(di, 1));
  const auto tiny = hn::Sub(hn::BitCast(di, hn::Add(hn::BitCast(d, magnitude), hn::Set(d, 0.5f))),
                            hn::Set(di, 0x3f000000));
  const auto normal =
      hn::ShiftRight<13>(hn::Add(hn::Sub(magnitude, hn::Set(di, 0x38000000 - 0xfff)), odd));
  auto result = hn::IfThenElse(hn::Lt(magnitude, hn::Set(di, 0x38800000)), tiny, normal);
  const auto is_infinite = hn::Gt(magnitude, hn::Set(di, 0x477fefff));
  result = hn::Or(sign, hn::IfThenElse(is_infinite, hn::Set(di, 0x7c00), result));
  const auto is_nan = hn::Gt(magnitude, hn::Set(di, 0x7f800000));
  result = hn::IfThenElse(is_nan, hn::Set(di, 0x7e00), result);
  return hn::DemoteTo(hn::Rebind<uint16_t, D>(), result);
}

template <class Op, class V>
HWY_INLINE V ApplyVectors(V a, V b) {
  if constexpr (std::same_as<Op, Add>) return hn::Add(a, b);
  if constexpr (std::same_as<Op, Sub>) return hn::Sub(a, b);
  if constexpr (std::same_as<Op, Mul>) return hn::Mul(a, b);
}

// Calls vector(d, i) for whole vectors of the floats [i, i + Lanes(d)), then one(i) for the rest.
// Longer vectors would leave out rows of 8.
template <class Vector, class One>
HWY_INLINE void ForEachFloatOf(size_t count, Vector vector, One one) {
  size_t i = 0;
  if constexpr (kIsVectorTarget) {
    const hn::CappedTag<float, 8> d;
    for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) vector(d, i);
    const hn::CappedTag<float, 4> half;
    if (i + 4 <= count) {
      vector(half, i);
      i += 4;
    }
  }
  for (; i < count; ++i) one(i);
}

template <class T>
HWY_INLINE void WidenHalves(const std::byte* from, float* to, size_t count) {
  ForEachFloatOf(
      count,
      [=](auto d, size_t i) HWY_ATTR {
        const hn::Rebind<uint16_t, decltype(d)> d16;
        hn::StoreU(ToFloats(d, LoadBytes(d16, from + i * sizeof(T)), T{}), d, to + i);
      },
      [=](size_t i) HWY_ATTR { to[i] = to_float(load<T>(from + i * sizeof(T))); });
}

template <class T>
HWY_INLINE void RoundFloats(const float* from, std::byte* to, size_t count) {
  ForEachFloatOf(
      count,
      [=](auto d, size_t i) HWY_ATTR {
        const hn::Rebind<uint16_t, decltype(d)> d16;
        StoreBytes(d16, ToHalves(d, hn::LoadU(d, from + i), T{}), to + i * sizeof(T));
      },
      [=](size_t i) HWY_ATTR { store(narrowed(from[i], T{}), to + i * sizeof(T)); });
}

// sums = sums op halves. Every NaN becomes the same half, so it does not matter which one stays.
template <class Op, class T>
HWY_INLINE void ReduceHalves(std::byte* sums, const std::byte* halves, size_t count) {
  ForEachFloatOf(
      count,
      [=](auto d, size_t i) HWY_ATTR {
        const hn::Rebind<uint16_t, decltype(d)> d16;
        const auto updates = ToFloats(d, LoadBytes(d16, halves + i * sizeof(T)), T{});
        std::byte* const to = sums + i * sizeof(float);
        StoreBytes(d, ApplyVectors<Op>(LoadBytes(d, to), updates), to);
      },
      [=](size_t i) HWY_ATTR {
        std::byte* const to = sums + i * sizeof(float);
        store(Op::apply(load<float>(to), to_float(load<T>(halves + i * sizeof(T)))), to);
      });
}

}  // namespace HWY_NAMESPACE
}  // namespace gathernd
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
