// Integers, floats and times of 64 bits. OP: ADD, of floats; or ANY, of all else.
#include "int64.hlsli"
#include "float64.hlsli"
#define DOUBLE 1u  // mul
#define ORDER 2u   // min and max of floats
#define TIMES 3u   // max, add and sub of times: the smallest number is NaT
#define ITEM uint2
#define ITEM_WORDS 2
#define ACC uint2
#define ACC_WORDS 2
#define UPDATE uint2
#define QUICK 0
#define FLOATS_OF_HALVES 0

#if OP == 1
uint2 load_acc(uint2 v) { return v; }
uint2 prepare(uint2 v) { return uint2(v.x, v.y ^ p.complement_high); }
uint2 store_acc(uint2 a) { return a; }
uint2 apply(uint2 a, uint2 b) { return add_double(a, b); }
#else
bool is_nat(uint2 v) { return v.x == 0u && v.y == SIGN64; }

// Floats that are ordered become keys that order as they do; NaN is the largest, complemented or not. Of
// times each becomes the one before it, by which NaT is the largest.
uint2 encode(uint2 v, uint2 complement)
{
  if (p.kind == TIMES && p.op == MAX) v = sub64(v, uint2(1u, 0u));
  if (p.kind != ORDER) return v ^ complement;
  if (less64(uint2(0u, INFINITY64), uint2(v.x, v.y & ~SIGN64))) return uint2(NONE, NONE);
  if ((v.y & SIGN64) != 0u) return ~v ^ complement;
  return uint2(v.x, v.y | SIGN64) ^ complement;
}

uint2 load_acc(uint2 v) { return encode(v, uint2(p.complement_acc, p.complement_acc_high)); }
uint2 prepare(uint2 v)
{
  if (p.kind != TIMES || p.op == MAX) return encode(v, uint2(p.complement, p.complement_high));
  if (p.complement != 0u) v = sub64(uint2(0u, 0u), v);  // NaT stays NaT
  return v;
}

uint2 store_acc(uint2 a)
{
  a ^= uint2(p.complement_acc, p.complement_acc_high);
  if (p.kind == TIMES && p.op == MAX) a = add64(a, uint2(1u, 0u));
  if (p.kind != ORDER) return a;
  if ((a.y & SIGN64) != 0u) return uint2(a.x, a.y ^ SIGN64);
  return ~a;
}

uint2 apply(uint2 a, uint2 b)
{
  if (p.kind == DOUBLE) return mul_double(a, b);
  if (p.op == ADD) {
    uint2 sum = add64(a, b);
    if (p.kind == TIMES && (is_nat(a) || is_nat(b))) sum = uint2(0u, SIGN64);
    return sum;
  }
  if (p.op == MUL) return mul64(a, b);
  if (p.op == MAX) {
    if (less64(a, b)) return b;
    return a;
  }
  return p.op == OR ? a | b : a ^ b;
}
#endif
