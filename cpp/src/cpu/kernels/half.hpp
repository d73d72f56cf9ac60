// float16 and bfloat16 as bits. To float32 they convert exactly; back they round to nearest, ties
// to even. Every NaN becomes the quiet NaN without sign and payload.
#pragma once

#include <bit>
#include <cstdint>

namespace gathernd {

struct Half {
  uint16_t bits;
};

struct BFloat16 {
  uint16_t bits;
};

inline float to_float(BFloat16 x) { return std::bit_cast<float>(uint32_t{x.bits} << 16); }

inline float to_float(Half x) {
  const uint32_t sign = uint32_t{x.bits & 0x8000u} << 16;
  const uint32_t rest = uint32_t{x.bits & 0x7fffu} << 13;
  // A multiplication rebiases the exponent, and also normalises. Infinities and NaN get all ones;
  // without a branch, so that compilers vectorise loops.
  constexpr float kRebias = 0x1p112f;
  const uint32_t scaled = std::bit_cast<uint32_t>(std::bit_cast<float>(rest) * kRebias);
  const uint32_t all_ones = rest >= 0x0f800000u ? 0x7f800000u : 0u;
  return std::bit_cast<float>(sign | scaled | all_ones);
}

inline BFloat16 to_bfloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return {static_cast<uint16_t>(nan ? 0x7fc0u : rounded)};
}

inline Half to_half(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  // Subnormal results: the addition of 0.5 rounds at the right place.
  const uint32_t tiny =
      std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
  const uint32_t normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  uint32_t result = magnitude < 0x38800000u ? tiny : normal;
  if (magnitude >= 0x477ff000u) result = 0x7c00u;
  const bool nan = magnitude > 0x7f800000u;
  return {static_cast<uint16_t>(nan ? 0x7e00u : sign | result)};
}

// The same, of the type of the second argument.
inline Half narrowed(float value, Half) { return to_half(value); }
inline BFloat16 narrowed(float value, BFloat16) { return to_bfloat16(value); }

}  // namespace gathernd
