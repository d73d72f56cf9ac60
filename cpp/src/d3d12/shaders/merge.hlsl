// table[slot] = rows[winner of the slot], for winners among this dispatch's tuples; other rows are
// source's where `copies`, else they stay. Nothing is written if a tuple was bad.
#include "common.hlsli"
#include "unit.hlsli"

cbuffer Constants : register(b0)
{
  MergeParameters p;
};
Buffer<WORDS> rows : register(t0);
Buffer<uint> winners : register(t1);
Buffer<uint> status : register(t2);
Buffer<WORDS> source : register(t3);
RWBuffer<WORDS> table : register(u0);

#include "bad.hlsli"
#include "entries.hlsli"

// The slot's winner, or NONE.
uint winner_of(uint slot)
{
  uint t = tuple_of(winners[slot]);
  return t < p.count ? t : NONE;
}

#if UNIT == 1
void move(uint e)
{
  uint word;
  if (p.copies != 0u) word = source[e];
  else word = table[e];
  [loop] for (uint b = 0u; b < 4u; b++) {
    uint o = e * 4u + b - p.table_first;  // below 0: huge
    if (o < p.end) {
      uint slot = o / p.width, t = winner_of(slot);
      if (t != NONE) {
        uint i = p.rows_first + t * p.width + (o - slot * p.width);
        uint byte = (rows[i >> 2] >> ((i & 3u) * 8u)) & 0xffu;
        word = (word & ~(0xffu << (b * 8u))) | (byte << (b * 8u));
      }
    }
  }
  table[e] = word;
}
#else
// Four units, each step's loads of which are on their way together.
void move(uint4 e)
{
  uint bad = first_bad();
  uint4 slot = e / p.width, column = e - slot * p.width, t;
  uint u;
  [unroll] for (u = 0u; u < 4u; u++) t[u] = e[u] < p.total ? winner_of(slot[u]) : NONE;
  uint4 row = p.rows_first + t * p.width;
  WORDS unit[4];
  [unroll] for (u = 0u; u < 4u; u++) {
    unit[u] = (WORDS)0;
    [branch] if (t[u] != NONE) unit[u] = rows[row[u] + column[u]];
    else if (p.copies != 0u) unit[u] = source[p.table_first + e[u]];
  }
  if (!is_good(bad)) return;
  [unroll] for (u = 0u; u < 4u; u++)
    if (e[u] < p.total && (t[u] != NONE || p.copies != 0u)) table[p.table_first + e[u]] = unit[u];
}
#endif

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint4 e = group_of(group) * (GROUP * 4u) + thread.x + kFour * GROUP;
#if UNIT == 1
  if (!is_good(first_bad())) return;
  [unroll] for (uint u = 0u; u < 4u; u++) if (e[u] < p.total) move(e[u]);
#else
  move(e);
#endif
}
