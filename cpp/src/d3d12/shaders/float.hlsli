// Sums or products of float32. HALVES 0: of float32, or FLOATS_OF_HALVES: of halves, into a float32
// copy of the table. HALVES 1: of pairs of float16 or bfloat16, accumulated in float32 and rounded once.
#include "int64.hlsli"
#include "float32.hlsli"
#include "half.hlsli"
#define ITEM uint
#define ITEM_BYTES 4
#define QUICK 1
#if HALVES
#define ACC uint2

uint2 load_acc(uint v) { return uint2(half_to_float(v & 0xffffu, kind), half_to_float(v >> 16, kind)); }
uint store_acc(uint2 a) { return float_to_half(a.x, kind) | (float_to_half(a.y, kind) << 16); }
#else
#define ACC uint

uint load_acc(uint v) { return v; }
uint store_acc(uint a) { return a; }
#endif
#define UPDATE ACC

UPDATE prepare(uint v)
{
#if FLOATS_OF_HALVES
  return half_to_float(v, kind) ^ turn;
#else
  return load_acc(v) ^ turn;
#endif
}

// The hardware's result, and whether it may not be IEEE 754's; is_wrong() looks closer.
#if FAMILY == FAMILY_SUM
ACC quick(ACC a, UPDATE b) { return asuint(asfloat(a) + asfloat(b)); }
bool doubt(uint result) { return (result & INFINITY) < LEAST_SUM; }
bool is_wrong(uint a, uint b, uint result) { return doubt(result) && ((a | b) & ~SIGN) != 0u; }
#define EXACT add_exact
#else
ACC quick(ACC a, UPDATE b) { return asuint(asfloat(a) * asfloat(b)); }
bool doubt(uint result)
{
  uint exponent = result & INFINITY;
  return exponent == INFINITY || exponent < LEAST_PRODUCT;
}
bool is_wrong(uint a, uint b, uint result)
{
  bool zero = (a & ~SIGN) == 0u || (b & ~SIGN) == 0u;
  return doubt(result) && !(zero && (result & INFINITY) == 0u);
}
#define EXACT mul_exact
#endif
#if HALVES
bool doubt(uint2 result) { return doubt(result.x) || doubt(result.y); }
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
