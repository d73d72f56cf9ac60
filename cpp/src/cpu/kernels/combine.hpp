// What a reduction does to two elements. Integers wrap; min and max are IEEE 754-2019's minimum
// and maximum; complex products are the textbook formula; bool results are 0 or 1; NaT propagates,
// and a sum that wraps around to its ticks is NaT from then on.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "cpu/kernels/element.hpp"
#include "gathernd/plan.hpp"

namespace gathernd {

// Integer arithmetic in unsigned 64 bits, where wraparound is defined.
template <class T, class F>
inline T wrap(T a, T b, F f) {
  return static_cast<T>(f(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
}

inline int64_t unless_nat(Time a, Time b, int64_t ticks) {
  return a.ticks == kNaT || b.ticks == kNaT ? kNaT : ticks;
}

struct Add {
  template <std::floating_point T>
  static T apply(T a, T b) {
    return a + b;
  }
  template <std::integral T>
  static T apply(T a, T b) {
    return wrap(a, b, [](uint64_t x, uint64_t y) { return x + y; });
  }
  template <class T>
  static Complex<T> apply(Complex<T> a, Complex<T> b) {
    return {a.re + b.re, a.im + b.im};
  }
  static Time apply(Time a, Time b) { return {unless_nat(a, b, apply(a.ticks, b.ticks))}; }
};

struct Sub {
  template <std::floating_point T>
  static T apply(T a, T b) {
    return a - b;
  }
  template <std::integral T>
  static T apply(T a, T b) {
    return wrap(a, b, [](uint64_t x, uint64_t y) { return x - y; });
  }
  template <class T>
  static Complex<T> apply(Complex<T> a, Complex<T> b) {
    return {a.re - b.re, a.im - b.im};
  }
  static Time apply(Time a, Time b) { return {unless_nat(a, b, apply(a.ticks, b.ticks))}; }
};

struct Mul {
  template <std::floating_point T>
  static T apply(T a, T b) {
    return a * b;
  }
  template <std::integral T>
  static T apply(T a, T b) {
    return wrap(a, b, [](uint64_t x, uint64_t y) { return x * y; });
  }
  template <class T>
  static Complex<T> apply(Complex<T> a, Complex<T> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
};

// The sign bit decides between zeros. A NaN stays as it is; of two the first stays. There are no
// branches, because random numbers would mispredict them, and compilers can vectorise this form.
template <bool kMax, std::floating_point T>
inline T pick(T a, T b) {
  // These differ only if a == b, and then only in the sign of zero.
  const T x = (kMax ? a > b : a < b) ? a : b;
  const T y = (kMax ? b > a : b < a) ? b : a;
  if constexpr (sizeof(T) <= sizeof(uint64_t)) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    const auto p = std::bit_cast<Bits>(x), q = std::bit_cast<Bits>(y);
    const T picked = std::bit_cast<T>(kMax ? p & q : p | q);
    const T found = std::isnan(b) ? b : picked;
    return std::isnan(a) ? a : found;
  } else {
    if (std::isnan(a)) return a;
    if (std::isnan(b)) return b;
    return std::signbit(x) == kMax ? y : x;
  }
}

// Both 16-bit floats order as sign and magnitude. kInfinity: the bits of infinity.
template <bool kMax, uint16_t kInfinity>
inline uint16_t pick_bits(uint16_t a, uint16_t b) {
  const auto is_nan = [](uint16_t x) { return (x & 0x7fff) > kInfinity; };
  const auto key = [](uint16_t x) { return static_cast<int16_t>(x & 0x8000 ? x ^ 0x7fff : x); };
  const bool first = is_nan(a) || (!is_nan(b) && (kMax ? key(a) >= key(b) : key(a) <= key(b)));
  return first ? a : b;
}

template <bool kMax>
struct Pick {
  template <std::floating_point T>
  static T apply(T a, T b) {
    return pick<kMax>(a, b);
  }
  template <std::integral T>
  static T apply(T a, T b) {
    return (a < b) != kMax ? a : b;
  }
  static Bool apply(Bool a, Bool b) {
    const bool x = a.byte != 0, y = b.byte != 0;
    return {static_cast<uint8_t>(kMax ? x | y : x & y)};
  }
  static Half apply(Half a, Half b) { return {pick_bits<kMax, 0x7c00>(a.bits, b.bits)}; }
  static BFloat16 apply(BFloat16 a, BFloat16 b) {
    return {pick_bits<kMax, 0x7f80>(a.bits, b.bits)};
  }
  // NaT is the smallest number. Minus one it wraps around to the largest, and the order of all
  // others stays.
  static Time apply(Time a, Time b) {
    constexpr int64_t kLess = kMax ? 1 : 0;
    return {Add::apply(apply(Sub::apply(a.ticks, kLess), Sub::apply(b.ticks, kLess)), kLess)};
  }
};

using Min = Pick<false>;
using Max = Pick<true>;

struct And {
  template <std::integral T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
  static Bool apply(Bool a, Bool b) { return Min::apply(a, b); }
};

struct Or {
  template <std::integral T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
  static Bool apply(Bool a, Bool b) { return Max::apply(a, b); }
};

struct Xor {
  template <std::integral T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
  static Bool apply(Bool a, Bool b) {
    return {static_cast<uint8_t>((a.byte != 0) != (b.byte != 0))};
  }
};

template <uint16_t kInfinity>
inline bool same_half(uint16_t a, uint16_t b) {
  const auto is_nan = [](uint16_t x) { return (x & 0x7fff) > kInfinity; };
  return a == b || (is_nan(a) && is_nan(b));
}

// Whether min and max take the two for equal.
inline bool is_same(Bool a, Bool b) { return (a.byte != 0) == (b.byte != 0); }
inline bool is_same(Half a, Half b) { return same_half<0x7c00>(a.bits, b.bits); }
inline bool is_same(BFloat16 a, BFloat16 b) { return same_half<0x7f80>(a.bits, b.bits); }
inline bool is_same(Time a, Time b) { return a.ticks == b.ticks; }
template <std::integral T>
inline bool is_same(T a, T b) {
  return a == b;
}
template <std::floating_point T>
inline bool is_same(T a, T b) {
  if constexpr (sizeof(T) <= sizeof(uint64_t)) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    const int same_bits = std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
    const int both_nan = static_cast<int>(std::isnan(a)) & static_cast<int>(std::isnan(b));
    return (same_bits | both_nan) != 0;
  } else {
    return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
  }
}
template <class T>
inline bool is_same(Complex<T>, Complex<T>) {
  return false;  // is_reducible says that they have neither min nor max
}

// Calls f(Op{}) with the operation of the reduction. kNone has none: the result is empty.
template <class F>
auto with_operation(Reduction reduction, F f) -> decltype(f(Add{})) {
  switch (reduction) {
    case Reduction::kNone:
      return {};
    case Reduction::kAdd:
      return f(Add{});
    case Reduction::kSub:
      return f(Sub{});
    case Reduction::kMul:
      return f(Mul{});
    case Reduction::kMin:
      return f(Min{});
    case Reduction::kMax:
      return f(Max{});
    case Reduction::kAnd:
      return f(And{});
    case Reduction::kOr:
      return f(Or{});
    case Reduction::kXor:
      return f(Xor{});
  }
  return {};
}

}  // namespace gathernd
