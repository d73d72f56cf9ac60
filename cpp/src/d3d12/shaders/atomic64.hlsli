// Sums of 64-bit integers as two words each. A carry is one addition's own: none is lost or counted twice.
#include "int64.hlsli"

uint2 prepare(uint2 v)
{
  if (p.complement != 0u) v = sub64(uint2(0u, 0u), v);
  return v;
}

void merge(uint bin, uint2 v)
{
  uint before;
  InterlockedAdd(low[bin], v.x, before);
  InterlockedAdd(high[bin], v.y + (before + v.x < v.x ? 1u : 0u));
}

uint2 merged(uint bin, uint2 v) { return uint2(low[bin], high[bin]); }

void combine(uint at, uint2 v)
{
  uint before = 0u;
  if (v.x != 0u) InterlockedAdd(table[at * 2u], v.x, before);
  v.y += before + v.x < v.x ? 1u : 0u;
  if (v.y != 0u) InterlockedAdd(table[at * 2u + 1u], v.y);
}
