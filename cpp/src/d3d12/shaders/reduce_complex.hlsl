// Products of complex64 and complex128, by the textbook formula; each sum and product is rounded.
#include "common.hlsli"
#include "int64.hlsli"
#if PART_WORDS == 1
#include "float32.hlsli"
#define PART uint
#define MULTIPLY mul_float
#define PLUS add_exact  // in integers: the hardware could fuse it with the product
#define NEGATE(a) ((a) ^ SIGN)
#else
#include "float64.hlsli"
#define PART uint2
#define MULTIPLY mul_double
#define PLUS add_double
#define NEGATE(a) uint2((a).x, (a).y ^ SIGN64)
#endif
#include "runs.hlsli"

#if PART_WORDS == 1
PART load_row(uint i) { return rows[i]; }
PART load_table(uint i) { return table[i]; }
void store_table(uint i, PART value) { table[i] = value; }
#else
PART load_row(uint i) { return uint2(rows[i * 2u], rows[i * 2u + 1u]); }
PART load_table(uint i) { return uint2(table[i * 2u], table[i * 2u + 1u]); }
void store_table(uint i, PART value)
{
  table[i * 2u] = value.x;
  table[i * 2u + 1u] = value.y;
}
#endif

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint e = group_of(group) * GROUP + thread.x;
  if (e >= total || stopped()) return;
  uint row = e / width, column = e - row * width, at = (table_first + e) * 2u;
  uint2 run = run_of(row);
  if (run.x >= run.y) return;
  PART re = load_table(at), im = load_table(at + 1u);
  [loop] for (uint i = run.x; i < run.y; i++) {
    uint from = (rows_first + pairs[i].y * width + column) * 2u;
    PART c = load_row(from), d = load_row(from + 1u);
    PART x = re, y = im;
    // re = x c - y d, im = x d + y c: a loop, because the code of a product is long
    [loop] for (uint part = 0u; part < 2u; part++) {
      PART left = x, right = y;
      [loop] for (uint side = 0u; side < 2u; side++) {
        PART a = x, b = c;
        if (side != 0u) a = y;
        if (side != part) b = d;
        PART product = MULTIPLY(a, b);
        if (side == 0u) left = product;
        else right = product;
      }
      if (part == 0u) right = NEGATE(right);
      PART sum = PLUS(left, right);
      if (part == 0u) re = sum;
      else im = sum;
    }
  }
  store_table(at, re);
  store_table(at + 1u, im);
}
