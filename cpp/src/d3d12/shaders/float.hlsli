// Sums or products of float32. HALVES 0: of float32, or FLOATS_OF_HALVES: of halves, into a float32
// copy of the table. HALVES 1: of pairs of halves, accumulated in float32 and rounded once.
#include "int64.hlsli"
#include "float32.hlsli"
#include "half.hlsli"
#define ITEM uint
#define ITEM_WORDS 1
#define QUICK 1
#ifndef FORMAT  // of halves
#define FORMAT p.kind
#endif
#if HALVES
#define ACC uint2
#define ACC_WORDS 2

// f16tof32 is not exact on every device: some flush subnormals.
uint2 load_acc(uint v) { return uint2(half_to_float(v & 0xffffu, FORMAT), half_to_float(v >> 16, FORMAT)); }
uint store_acc(uint2 a) { return float_to_half(a.x, FORMAT) | (float_to_half(a.y, FORMAT) << 16); }
#else
#define ACC uint
#define ACC_WORDS 1

uint load_acc(uint v) { return v; }
uint store_acc(uint a) { return a; }
#endif
#define UPDATE ACC

UPDATE prepare(uint v)
{
#if FLOATS_OF_HALVES
  return half_to_float(v, FORMAT) ^ p.complement;
#else
  return load_acc(v) ^ p.complement;
#endif
}

// The hardware's result, which no driver may reorder, and whether it may not be IEEE 754's; is_wrong()
// looks closer.
#if FAMILY == FAMILY_SUM
ACC quick(ACC a, UPDATE b)
{
  precise ACC result = asuint(asfloat(a) + asfloat(b));
  return result;
}
#define SUBNORMALS (!HALVES || FORMAT != FLOAT16)  // float16 sums are whole multiples of 2**-24
bool is_wrong(uint a, uint b, uint result)
{
  return SUBNORMALS && (result & INFINITY) < LEAST_SUM && ((a | b) & ~SIGN) != 0u;
}
#define EXACT add_exact
// The least magnitude. A NaN counts for none: min() takes the other number, in Vulkan as NMin.
#define WATCH float
#define SURE 1.0
float watch(float before, uint result) { return SUBNORMALS ? min(before, abs(asfloat(result))) : SURE; }
float watch_step(float before, uint a, uint b, uint result)
{
  if (((a | b) & ~SIGN) == 0u) return before;
  return watch(before, result);
}
bool is_sure(float watched) { return watched >= asfloat(LEAST_SUM); }
#else
ACC quick(ACC a, UPDATE b)
{
  precise ACC result = asuint(asfloat(a) * asfloat(b));
  return result;
}
bool is_wrong(uint a, uint b, uint result)
{
  uint exponent = result & INFINITY;
  bool zero = (a & ~SIGN) == 0u || (b & ~SIGN) == 0u;
  return (exponent == INFINITY || exponent < LEAST_PRODUCT) && !(zero && exponent == 0u);
}
#define EXACT mul_exact
// The largest exponent above LEAST_PRODUCT; those below are huge.
#define WATCH uint
#define SURE 0u
uint watch(uint before, uint result) { return max(before, (result & INFINITY) - LEAST_PRODUCT); }
uint watch_step(uint before, uint a, uint b, uint result)
{
  if (((a & ~SIGN) == 0u || (b & ~SIGN) == 0u) && (result & INFINITY) == 0u) return before;
  return watch(before, result);
}
bool is_sure(uint watched) { return watched < INFINITY - LEAST_PRODUCT; }
#endif
#if HALVES
WATCH watch(WATCH before, uint2 result) { return watch(watch(before, result.x), result.y); }
WATCH watch_step(WATCH before, uint2 a, uint2 b, uint2 result)
{
  return watch_step(watch_step(before, a.x, b.x, result.x), a.y, b.y, result.y);
}
#endif

ACC apply(ACC a, UPDATE b)
{
  ACC result = quick(a, b);
#if HALVES
  if (is_wrong(a.x, b.x, result.x)) result.x = EXACT(a.x, b.x);
  if (is_wrong(a.y, b.y, result.y)) result.y = EXACT(a.y, b.y);
#else
  if (is_wrong(a, b, result)) result = EXACT(a, b);
#endif
  return result;
}
