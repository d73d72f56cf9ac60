#include "d3d12/operators/arithmetic.hpp"

#include <algorithm>

#include "core/kinds.hpp"
#include "core/reductions.hpp"

namespace gathernd::d3d12 {
namespace {

// The kinds of each family, as in small_elements.hlsli, half.hlsli and elements64.hlsli.
constexpr uint32_t kBoolElements = 1;
constexpr uint32_t kFloat16Bits = 1, kBFloat16Bits = 2;
constexpr uint32_t kDouble = 1, kDoubleOrder = 2, kTimes = 3;

#define GATHERND_REDUCE(name)                                                            \
  ReduceShaders {                                                                        \
    &shaders::reduce_##name, &shaders::reduce_lists_##name, &shaders::reduce_long_##name \
  }

// A product of complex numbers: 11 iterations on lavapipe, which also counts a loop's last check of
// its condition.
constexpr uint32_t kComplexCost = 12;
constexpr uint32_t kDoubleCost = 8;  // about 150 instructions

constexpr uint32_t kAll = 0xffffffff, kTop = 0x80000000;

// Sets the complement masks of integers in words: a - b = ~(~a + b), a & b = ~(~a | ~b), and min is
// the complement of max. `top`: the sign bits of signed integers.
void complement_integers(const Plan& plan, uint32_t all, uint32_t top, uint32_t* complement,
                         uint32_t* complement_acc) {
  const bool is_complemented =
      plan.reduction == Reduction::kMin || plan.reduction == Reduction::kAnd;
  *complement = is_complemented ? all : 0;
  const bool is_signed = is_signed_index(plan.dtype.kind) || is_time(plan.dtype.kind);
  if (is_ordering(plan.reduction) && is_signed) *complement ^= top;
  *complement_acc = plan.reduction == Reduction::kSub ? all : *complement;
}

// Shaders for the number of bits or the format cost a sixth less than those that read it, where a
// thread has four words.
ReduceShaders small_element_shaders(Op op, uint32_t bits, bool by_quads) {
  if (op == kAdd) return by_quads ? GATHERND_REDUCE(add_16) : GATHERND_REDUCE(add_4);
  if (op == kMax && by_quads && bits == 32) return GATHERND_REDUCE(max_word_16);
  if (op == kMax) return by_quads ? GATHERND_REDUCE(max_16) : GATHERND_REDUCE(max_4);
  return by_quads ? GATHERND_REDUCE(any_16) : GATHERND_REDUCE(any_4);
}

// Elements of up to one word, including minima and maxima of floats.
Arithmetic small_elements(const Plan& plan, uint64_t row_bytes) {
  const Kind kind = plan.dtype.kind;
  const auto bits = static_cast<uint32_t>(plan.dtype.size * 8);
  Op op = op_for(plan.reduction);
  if (kind == Kind::kBool && op == kMax) op = kOr;
  constexpr uint32_t kCost = 8;  // a product treats each element of a word separately
  Arithmetic result = {GATHERND_REDUCE(any_1), Format::kWord, bits / 8, bits / 8, kCost, {}};
  uint32_t ones = 1;  // the lowest bit of each element of an item
  if (row_bytes % 4 == 0) {
    const bool by_quads = row_bytes % 16 == 0;
    const uint32_t unit = by_quads ? 16 : 4;
    result = {small_element_shaders(op, bits, by_quads),
              by_quads ? Format::kQuad : Format::kWord,
              unit,
              unit,
              op == kAdd || op == kMax ? 1 : kCost,
              {}};
    for (uint32_t at = bits; at < 32; at += bits) ones |= 1u << at;
  }
  ReduceParameters& p = result.parameters;
  p.op = op;
  p.bits = bits;
  p.high = ones << (bits - 1);
  complement_integers(plan, ones * (kAll >> (32 - bits)), p.high, &p.complement, &p.complement_acc);
  if (kind == Kind::kBool) {
    p.kind = kBoolElements;
  } else if (!is_index(kind)) {
    p.signs = p.high;
    p.over = ones * ((kTop >> (32 - bits)) - 1 - infinity_of(kind));
    p.complement ^= p.high;
    p.complement_acc ^= p.high;
  }
  return result;
}

ReduceShaders half_shaders(Kind kind, bool product, bool by_quads) {
  if (product) return GATHERND_REDUCE(product_half_4);
  if (!by_quads) return GATHERND_REDUCE(sum_half_4);
  return kind == Kind::kFloat16 ? GATHERND_REDUCE(sum_half_16) : GATHERND_REDUCE(sum_bhalf_16);
}

ReduceShaders float_shaders(bool product, bool by_quads) {
  return product    ? GATHERND_REDUCE(product_4)
         : by_quads ? GATHERND_REDUCE(sum_16)
                    : GATHERND_REDUCE(sum_4);
}

// Sums and products of float32 and of halves.
Arithmetic floats(const Plan& plan, uint64_t row_bytes, bool halves_in_floats) {
  const bool product = plan.reduction == Reduction::kMul;
  const bool by_quads = row_bytes % 16 == 0 && !product && !halves_in_floats;
  const bool halves = plan.dtype.size == 2;
  Arithmetic result = {float_shaders(product, by_quads), Format::kWord, 4, 4, 1, {}};
  if (halves) {
    const Kind kind = plan.dtype.kind;
    result.shaders = half_shaders(kind, product, by_quads);
    result.parameters.kind = kind == Kind::kFloat16 ? kFloat16Bits : kBFloat16Bits;
  }
  if (by_quads) {
    result.format = Format::kQuad;
    result.unit = result.row_unit = 16;
  }
  if (halves_in_floats) {
    result.shaders = product ? GATHERND_REDUCE(product_in_floats) : GATHERND_REDUCE(sum_in_floats);
    result.row_unit = 2;
  }
  if (plan.reduction == Reduction::kSub) result.parameters.complement = kTop;
  return result;
}

// Elements of 64 bits; kComplex128 as its two parts.
Arithmetic elements64(const Plan& plan) {
  Arithmetic result = {GATHERND_REDUCE(any_8), Format::kPair, 8, 8, 1, {}};
  ReduceParameters& p = result.parameters;
  p.op = op_for(plan.reduction);
  const bool is_integer = is_index(plan.dtype.kind), times = is_time(plan.dtype.kind);
  if (times && p.op == kAdd) {
    p.kind = kTimes;
    p.complement = plan.reduction == Reduction::kSub;
  } else if (is_integer || is_ordering(plan.reduction)) {
    complement_integers(plan, kAll, 0, &p.complement, &p.complement_acc);
    complement_integers(plan, kAll, kTop, &p.complement_high, &p.complement_acc_high);
    if (!is_integer && !times) p.kind = kDoubleOrder;
    if (plan.reduction == Reduction::kMax && times) p.kind = kTimes;  // NaT is the least by itself
  } else {
    p.kind = kDouble;
    result.cost = kDoubleCost;
    result.step = costs::kDoubleStep;
    if (p.op == kAdd) result.shaders = GATHERND_REDUCE(sum_8);
    if (plan.reduction == Reduction::kSub) p.complement_high = kTop;
  }
  return result;
}

Arithmetic complex_product(const ReduceShaders& shaders, Format format, uint32_t unit) {
  return {shaders, format, unit, unit, kComplexCost, {}, costs::kComplexStep * (unit / 8)};
}

}  // namespace

bool has_shaders(Kind kind, Reduction reduction) {
  constexpr Kind kFloats[] = {Kind::kFloat16, Kind::kBFloat16,  Kind::kFloat32,
                              Kind::kFloat64, Kind::kComplex64, Kind::kComplex128};
  const Group group = facts_of(kind).group;
  const bool is_float = group == Group::kFloat || group == Group::kComplex;
  return op_for(reduction) != kSet && (!is_float || std::ranges::count(kFloats, kind) != 0);
}

uint32_t infinity_of(Kind kind) {
  switch (kind) {
    case Kind::kFloat16:
      return 0x7c00;
    case Kind::kBFloat16:
      return 0x7f80;
    case Kind::kFloat32:
      return 0x7f800000;
    case Kind::kFloat64:
      return 0x7ff00000;
    default:
      return UINT32_MAX;
  }
}

Op op_for(Reduction reduction) {
  switch (reduction) {
    case Reduction::kMul:
      return kMul;
    case Reduction::kMin:
    case Reduction::kMax:
      return kMax;
    case Reduction::kAnd:
    case Reduction::kOr:
      return kOr;
    case Reduction::kXor:
      return kXor;
    case Reduction::kAdd:
    case Reduction::kSub:
      return kAdd;
    default:
      return kSet;
  }
}

Arithmetic arithmetic_for(const Plan& plan, const Geometry& geometry, bool halves_in_floats) {
  const bool ordering = is_ordering(plan.reduction), product = plan.reduction == Reduction::kMul;
  switch (plan.dtype.kind) {
    case Kind::kComplex64:
      if (product) return complex_product(GATHERND_REDUCE(complex_8), Format::kPair, 8);
      return floats(plan, geometry.row_bytes, false);
    case Kind::kComplex128:
      if (product) return complex_product(GATHERND_REDUCE(complex_16), Format::kQuad, 16);
      return elements64(plan);
    case Kind::kFloat16:
    case Kind::kBFloat16:
    case Kind::kFloat32:
      if (ordering) return small_elements(plan, geometry.row_bytes);
      return floats(plan, geometry.row_bytes, halves_in_floats);
    default:
      return plan.dtype.size == 8 ? elements64(plan) : small_elements(plan, geometry.row_bytes);
  }
}

}  // namespace gathernd::d3d12
