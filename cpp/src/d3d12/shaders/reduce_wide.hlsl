// Integers and floats of 64 bits.
#include "common.hlsli"
#include "int64.hlsli"
#include "float64.hlsli"
#include "runs.hlsli"
#define SIGNED 1u
#define DOUBLE 2u

// Keys order as the values do; NaN is at the far end that always wins.
uint2 to_key(uint2 value)
{
  if (kind == SIGNED) return uint2(value.x, value.y ^ 0x80000000u);
  if (kind != DOUBLE) return value;
  if (less64(uint2(0u, INFINITY64), uint2(value.x, value.y & ~SIGN64))) return op == MIN ? uint2(0u, 0u) : uint2(~0u, ~0u);
  if ((value.y & SIGN64) != 0u) return ~value;
  return uint2(value.x, value.y | SIGN64);
}

uint2 from_key(uint2 key)
{
  if (kind == SIGNED) return uint2(key.x, key.y ^ 0x80000000u);
  if (kind != DOUBLE) return key;
  if ((key.y & SIGN64) != 0u) return uint2(key.x, key.y ^ SIGN64);
  return ~key;
}

uint2 apply(uint2 a, uint2 b)
{
  if (kind == DOUBLE && op <= MUL) {
    if (op == MUL) return mul_double(a, b);
    return add_double(a, uint2(b.x, op == SUB ? b.y ^ SIGN64 : b.y));
  }
  switch (op) {
    case ADD: return add64(a, b);
    case SUB: return sub64(a, b);
    case MUL: return mul64(a, b);
    case MIN: if (less64(b, a)) return b; return a;
    case MAX: if (less64(a, b)) return b; return a;
    case AND: return a & b;
    case OR: return a | b;
    default: return a ^ b;
  }
}

uint2 load_row(uint i) { return uint2(rows[i * 2u], rows[i * 2u + 1u]); }

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint e = group_of(group) * GROUP + thread.x;
  if (e >= total || stopped()) return;
  uint row = e / width, column = e - row * width, at = (table_first + e) * 2u;
  uint2 run = run_of(row);
  if (run.x >= run.y) return;
  bool ordering = op == MIN || op == MAX;
  uint2 value = uint2(table[at], table[at + 1u]);
  if (ordering) value = to_key(value);
  [loop] for (uint i = run.x; i < run.y; i++) {
    uint2 update = load_row(rows_first + pairs[i].y * width + column);
    if (ordering) update = to_key(update);
    value = apply(value, update);
  }
  if (ordering) value = from_key(value);
  table[at] = value.x;
  table[at + 1u] = value.y;
}
