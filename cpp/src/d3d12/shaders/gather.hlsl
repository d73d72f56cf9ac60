// rows[t] = table[slot of t], where the slot lies in the table's window; the fill value for FILL.
#include "common.hlsli"
#undef GROUP
#define GROUP 64u  // the last of small groups end the sooner; kGatherGroup in gather.cpp
#include "tuples.hlsli"
#include "unit.hlsli"

cbuffer Constants : register(b0)
{
  GatherParameters p;
};
Buffer<uint> indices : register(t0);
Buffer<WORDS> table : register(t1);
Buffer<WORDS> fill : register(t2);
RWBuffer<WORDS> rows : register(u0);
RWStructuredBuffer<uint> status : register(u1);

#if UNIT == 1
uint4 bytes_of(Buffer<uint> from, uint4 at) { return (load(from, at >> 2) >> ((at & 3u) * 8u)) & 0xffu; }

// A word may hold bytes of several rows, and of rows of other dispatches before and after these.
void move(uint e)
{
  uint4 o = e * 4u + kFour - p.rows_first;  // below 0: huge
  bool4 live = o < p.end;
  uint4 t = o / p.width, c = o - t * p.width;
  uint4 slot = slots_of(p.tuples, indices, status, t, live);
  bool4 moves = slot < FILL, fills = slot == FILL;
  uint4 bytes = bytes_of(table, moves ? p.table_first + slot * p.width + c : (uint4)0u);
  if (any(fills)) {
    uint4 filled = bytes_of(fill, (p.fill_first + c) % p.fill_period);
    bytes = fills ? filled : bytes;
  }
  uint4 mask = moves || fills ? uint4(0xffu, 0xff00u, 0xff0000u, 0xff000000u) : (uint4)0u;
  bytes = (bytes << (kFour * 8u)) & mask;
  uint all = mask.x | mask.y | mask.z | mask.w, word = bytes.x | bytes.y | bytes.z | bytes.w;
  if (all != 0xffffffffu) word |= rows[e] & ~all;
  rows[e] = word;
}
#else
// What lies GROUP units on from (tuple, column).
uint2 next_unit(uint2 at)
{
  at += p.steps;
  return at.y < p.width ? at : uint2(at.x + 1u, at.y - p.width);
}

void move(uint4 e)
{
  // One division for all four.
  uint2 a = uint2(e.x / p.width, e.x % p.width), b = next_unit(a), g = next_unit(b), d = next_unit(g);
  uint4 t = uint4(a.x, b.x, g.x, d.x), c = uint4(a.y, b.y, g.y, d.y);
  uint4 slot = slots_of(p.tuples, indices, status, t, e < p.total);
  uint4 at = slot < FILL ? p.table_first + slot * p.width + c : (uint4)0u;
  WORDS x = table[at.x], y = table[at.y], z = table[at.z], w = table[at.w];
  if (any(slot == FILL)) {
    uint4 from = (p.fill_first + c) % p.fill_period;
    if (slot.x == FILL) x = fill[from.x];
    if (slot.y == FILL) y = fill[from.y];
    if (slot.z == FILL) z = fill[from.z];
    if (slot.w == FILL) w = fill[from.w];
  }
  e += p.rows_first;
  if (slot.x != NONE) rows[e.x] = x;
  if (slot.y != NONE) rows[e.y] = y;
  if (slot.z != NONE) rows[e.z] = z;
  if (slot.w != NONE) rows[e.w] = w;
}
#endif

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
#if UNIT == 1
  uint e = group_of(group) * GROUP + thread.x;
  if (e < p.total) move(e);
#else
  move(group_of(group) * (GROUP * 4u) + thread.x + kFour * GROUP);
#endif
}
