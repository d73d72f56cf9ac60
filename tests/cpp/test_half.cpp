// float16 and bfloat16: every bit pattern, and the rounding of every midpoint between two of them,
// against a reference in double.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/layout.hpp"
#include "cpu/kernels/half.hpp"
#include "cpu/scatter/strategy.hpp"
#include "support.hpp"

namespace gathernd::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Format {
  int mantissa;  // bits
  int lowest;    // the exponent of the smallest normal number
  int highest;   // the exponent from which on all is infinite
};

constexpr Format kHalf = {10, -14, 16};
constexpr Format kBFloat = {7, -126, 128};

// What the bits stand for, by the definition of the format.
double decode(const Format& f, uint16_t bits) {
  const int exponent = (bits & 0x7fff) >> f.mantissa;
  const int fraction = bits & ((1 << f.mantissa) - 1);
  const int bias = f.highest - 1;
  double value = std::ldexp(fraction, f.lowest - f.mantissa);
  if (exponent > 0) value = std::ldexp((1 << f.mantissa) + fraction, exponent - bias - f.mantissa);
  if (exponent == 2 * bias + 1) value = fraction == 0 ? HUGE_VAL : NAN;
  return bits & 0x8000 ? -value : value;
}

// The bits next to a number, ties to even; `value` is no NaN.
uint16_t encode(const Format& f, double value) {
  const double magnitude = std::fabs(value);
  const int exponent = magnitude == 0 ? f.lowest : std::max(std::ilogb(magnitude), f.lowest);
  const int unit = exponent - f.mantissa;
  auto bits = static_cast<int64_t>((f.highest - f.lowest + 1)) << f.mantissa;  // infinity
  // From the lowest normal number on, a step of the bits is a unit in the last place: the implicit
  // one of the fraction counts as a step of the exponent.
  if (exponent < f.highest) {
    bits = std::min(bits, (int64_t{exponent - f.lowest} << f.mantissa) +
                              static_cast<int64_t>(std::nearbyint(std::ldexp(magnitude, -unit))));
  }
  return static_cast<uint16_t>(bits | (std::signbit(value) ? 0x8000 : 0));
}

uint16_t half_bits(float value) { return to_half(value).bits; }
uint16_t bfloat_bits(float value) { return to_bfloat16(value).bits; }

// Bits to float and back, exactly; of every NaN comes the quiet one without sign and payload.
template <class T, class Round>
void check_every_pattern(const Format& format, uint16_t quiet, Round round) {
  for (uint32_t i = 0; i <= 0xffff; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const float value = to_float(T{bits});
    const double expected = decode(format, bits);
    REQUIRE(std::isnan(value) == std::isnan(expected));
    if (!std::isnan(value)) REQUIRE(double{value} == expected);
    REQUIRE(std::signbit(value) == ((bits & 0x8000) != 0));
    const uint16_t back = round(value);
    REQUIRE(back == (std::isnan(value) ? quiet : bits));
  }
}

// Around the point halfway from each finite number to the next.
template <class T, class Round>
void check_every_midpoint(const Format& format, uint16_t infinity, Round round) {
  for (uint16_t bits = 0; bits < infinity; ++bits) {
    const double low = decode(format, bits);
    // Rounding takes infinity for the next number, one step on.
    const bool last = bits + 1 == infinity;
    const double high = last ? 2 * low - decode(format, static_cast<uint16_t>(bits - 1))
                             : decode(format, static_cast<uint16_t>(bits + 1));
    const auto middle = static_cast<float>((low + high) / 2);
    for (float value : {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, kInfinity)}) {
      REQUIRE(round(value) == encode(format, value));
      REQUIRE(round(-value) == encode(format, -value));
    }
    const auto even = static_cast<uint16_t>(bits + (bits & 1));
    REQUIRE(round(middle) == even);
  }
}

template <class Round>
void check_sweep(const Format& format, Round round) {
  constexpr uint32_t kStep = 9973;
  for (uint64_t bits = 0; bits <= UINT32_MAX; bits += kStep) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (!std::isnan(value)) REQUIRE(round(value) == encode(format, value));
  }
}

// Every bit pattern in a table of rows, each with another for its update. `length`: elements a row.
template <class T>
void check_rows(Kind kind, Reduction reduction, int64_t length) {
  constexpr int64_t kPatterns = 0x10000;
  const DType type{kind, sizeof(T)}, index_type{Kind::kInt64, sizeof(int64_t)};
  const int64_t rows = kPatterns / length;
  std::vector<T> table, updates, expected;
  std::vector<int64_t> tuples;
  for (uint32_t i = 0; i < static_cast<uint32_t>(rows * length); ++i) {
    const T a{static_cast<uint16_t>(i)}, b{static_cast<uint16_t>(i * 40503u + 77u)};
    const float x = to_float(a), y = to_float(b);
    table.push_back(a);
    updates.push_back(b);
    expected.push_back(narrowed(reduction == Reduction::kAdd   ? x + y
                                : reduction == Reduction::kSub ? x - y
                                                               : x * y,
                                T{}));
  }
  for (int64_t row = 0; row < rows; ++row) tuples.push_back(row);
  const Dims shape(std::vector{rows, length}), tuples_shape(std::vector{rows, int64_t{1}});
  const Dims strides = c_strides(span(shape), type.size);
  const Dims tuples_strides = c_strides(span(tuples_shape), index_type.size);
  const auto tensor = [&](std::vector<T>& elements) {
    return Tensor{reinterpret_cast<std::byte*>(elements.data()), type, span(shape), span(strides)};
  };
  const Tensor indices{reinterpret_cast<std::byte*>(tuples.data()), index_type, span(tuples_shape),
                       span(tuples_strides)};
  std::vector<T> result = table;
  scatter_nd(tensor(result), indices, tensor(updates), tensor(result), {.reduction = reduction});
  REQUIRE(std::ranges::equal(result, expected, {}, &T::bits, &T::bits));
}

// In a float32 copy of the table, and by runs; rows of whole vectors and others.
template <class T>
void check_rows(Kind kind) {
  for (const char* way : {"blocks", ""}) {
    force_scatter(way);
    on_every_target([&](const auto&) {
      for (Reduction reduction : {Reduction::kAdd, Reduction::kSub, Reduction::kMul}) {
        for (int64_t length : {1, 7, 64, 93}) check_rows<T>(kind, reduction, length);
      }
    });
  }
}

}  // namespace

TEST_CASE("every float16 goes to float and back") {
  check_every_pattern<Half>(kHalf, 0x7e00, half_bits);
}

TEST_CASE("every bfloat16 goes to float and back") {
  check_every_pattern<BFloat16>(kBFloat, 0x7fc0, bfloat_bits);
}

TEST_CASE("float16 rounds to nearest, ties to even") {
  check_every_midpoint<Half>(kHalf, 0x7c00, half_bits);
  check_sweep(kHalf, half_bits);
}

TEST_CASE("bfloat16 rounds to nearest, ties to even") {
  check_every_midpoint<BFloat16>(kBFloat, 0x7f80, bfloat_bits);
  check_sweep(kBFloat, bfloat_bits);
}

TEST_CASE("sums and products of rows of every 16-bit float") {
  check_rows<Half>(Kind::kFloat16);
  check_rows<BFloat16>(Kind::kBFloat16);
}

TEST_CASE("16-bit floats keep infinity, and have one NaN for all of float32's") {
  CHECK(half_bits(kInfinity) == 0x7c00);
  CHECK(half_bits(-kInfinity) == 0xfc00);
  CHECK(half_bits(65520.0f) == 0x7c00);
  CHECK(half_bits(std::nextafter(65520.0f, 0.0f)) == 0x7bff);
  CHECK(bfloat_bits(std::numeric_limits<float>::max()) == 0x7f80);
  for (uint32_t payload : {1u, 0x1000u, 0x2000u, 0x3fffffu, 0x400000u, 0x7fffffu}) {
    for (uint32_t sign : {0u, 0x80000000u}) {
      const auto nan = std::bit_cast<float>(sign | 0x7f800000u | payload);
      CHECK(half_bits(nan) == 0x7e00);
      CHECK(bfloat_bits(nan) == 0x7fc0);
    }
  }
}

}  // namespace gathernd::test
