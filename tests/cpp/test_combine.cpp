// What each reduction makes of two elements, at the values where implementations differ.
#include <cmath>
#include <limits>

#include "cpu/kernels/combine.hpp"
#include "support.hpp"

namespace gathernd::test {
namespace {

// Every ordered pair of these, from the smallest number on; -0.0 lies below 0.0.
template <class T>
std::vector<T> ordered() {
  using Limits = std::numeric_limits<T>;
  return {
      -Limits::infinity(),  Limits::lowest(), T{-1},         -Limits::denorm_min(), T{-0.0}, T{0.0},
      Limits::denorm_min(), Limits::min(),    Limits::max(), Limits::infinity()};
}

template <class T>
bool same(T a, T b) {
  return a == b && std::signbit(a) == std::signbit(b);
}

template <class T>
void check_ordering() {
  const std::vector<T> values = ordered<T>();
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = 0; j < values.size(); ++j) {
      CHECK(same(Min::apply(values[i], values[j]), values[std::min(i, j)]));
      CHECK(same(Max::apply(values[i], values[j]), values[std::max(i, j)]));
    }
    for (T nan : {std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::quiet_NaN()}) {
      CHECK(std::isnan(Min::apply(values[i], nan)));
      CHECK(std::isnan(Min::apply(nan, values[i])));
      CHECK(std::isnan(Max::apply(values[i], nan)));
      CHECK(std::isnan(Max::apply(nan, values[i])));
    }
  }
}

// 16-bit floats: any pair of patterns of the sweep, against the order of the numbers as floats.
template <class T>
void check_bits_ordering() {
  for (uint32_t i = 0; i <= 0xffff; i += 251) {
    for (uint32_t j = 0; j <= 0xffff; j += 257) {
      const T a{static_cast<uint16_t>(i)}, b{static_cast<uint16_t>(j)};
      const float x = to_float(a), y = to_float(b);
      const float low = to_float(Min::apply(a, b)), high = to_float(Max::apply(a, b));
      if (std::isnan(x) || std::isnan(y)) {
        REQUIRE(std::isnan(low));
        REQUIRE(std::isnan(high));
      } else {
        REQUIRE(same(low, Min::apply(x, y)));
        REQUIRE(same(high, Max::apply(x, y)));
      }
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("min and max: NaN wins, -0.0 is below 0.0", T, float, double, long double) {
  check_ordering<T>();
}

TEST_CASE_TEMPLATE("min and max of 16-bit floats order as the numbers do", T, Half, BFloat16) {
  check_bits_ordering<T>();
  const T zero{0}, minus_zero{0x8000};
  CHECK(Min::apply(zero, minus_zero).bits == 0x8000);
  CHECK(Min::apply(minus_zero, zero).bits == 0x8000);
  CHECK(Max::apply(zero, minus_zero).bits == 0);
  CHECK(Max::apply(minus_zero, zero).bits == 0);
}

TEST_CASE_TEMPLATE("integers wrap", T, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                   uint32_t, uint64_t) {
  constexpr T kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
  CHECK(Add::apply(kHigh, T{1}) == kLow);
  CHECK(Sub::apply(kLow, T{1}) == kHigh);
  CHECK(Sub::apply(T{0}, T{1}) == static_cast<T>(-1));
  CHECK(Mul::apply(kHigh, kHigh) == T{1});
  CHECK(Mul::apply(kHigh, T{2}) == static_cast<T>(-2));
  CHECK(Mul::apply(kLow, static_cast<T>(-1)) == kLow);
  CHECK(Add::apply(T{3}, T{4}) == 7);
  CHECK(Min::apply(kLow, kHigh) == kLow);
  CHECK(Min::apply(kHigh, kLow) == kLow);
  CHECK(Max::apply(kLow, kHigh) == kHigh);
  CHECK(Max::apply(kHigh, kLow) == kHigh);
  CHECK(And::apply(T{12}, T{10}) == 8);
  CHECK(Or::apply(T{12}, T{10}) == 14);
  CHECK(Xor::apply(T{12}, T{10}) == 6);
  CHECK(Xor::apply(kHigh, kHigh) == 0);
}

TEST_CASE("any non-zero byte is true, and results are 0 or 1") {
  constexpr uint8_t kBytes[] = {0, 1, 2, 128, 255};
  for (uint8_t a : kBytes) {
    for (uint8_t b : kBytes) {
      const bool x = a != 0, y = b != 0;
      CHECK(And::apply(Bool{a}, Bool{b}).byte == (x && y));
      CHECK(Or::apply(Bool{a}, Bool{b}).byte == (x || y));
      CHECK(Xor::apply(Bool{a}, Bool{b}).byte == (x != y));
      CHECK(Min::apply(Bool{a}, Bool{b}).byte == (x && y));
      CHECK(Max::apply(Bool{a}, Bool{b}).byte == (x || y));
    }
  }
}

TEST_CASE_TEMPLATE("complex numbers follow the textbook", T, float, double, long double) {
  using C = Complex<T>;
  const auto equal = [](C a, C b) { return same(a.re, b.re) && same(a.im, b.im); };
  const C a{2, 3}, b{5, -7};
  CHECK(equal(Add::apply(a, b), {7, -4}));
  CHECK(equal(Sub::apply(a, b), {-3, 10}));
  CHECK(equal(Mul::apply(a, b), {31, 1}));
  // No rescue of infinities, as in C's annex G: (inf + 0i)(1 + 0i) has a NaN part.
  const C infinite = Mul::apply(C{std::numeric_limits<T>::infinity(), 0}, C{1, 0});
  CHECK(std::isinf(infinite.re));
  CHECK(std::isnan(infinite.im));
}

TEST_CASE("products are rounded before they are added: no fused multiply-add") {
  const double x = 1 + std::ldexp(1, -27), y = 1 - std::ldexp(1, -27);
  // x * y = 1 - 2**-54, which rounds to 1; a fused one would leave -2**-54.
  CHECK(Mul::apply(Complex<double>{x, 1}, Complex<double>{y, 1}).re == 0);
}

}  // namespace gathernd::test
