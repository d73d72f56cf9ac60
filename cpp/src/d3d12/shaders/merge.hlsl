// table[slot] = rows[winner of the slot], for winners among this dispatch's tuples; other rows are
// source's where `copies`, else they stay. Nothing is written if a tuple was bad.
#include "common.hlsli"
#include "unit.hlsli"

cbuffer Parameters : register(b0)
{
  uint total;        // units of the table's window (words where UNIT is 1)
  uint width;        // units a row
  uint table_first;  // units of the view before the window
  uint rows_first;   // units of the view before the first tuple's row
  uint end;          // bytes of the window, where UNIT is 1
  uint base;         // position of the first tuple
  uint count;        // tuples
  uint first_wins;
  uint stops;        // words of `status` that must be NONE
  uint copies;
};
Buffer<WORDS> rows : register(t0);
Buffer<uint> winners : register(t1);
Buffer<uint> status : register(t2);
Buffer<WORDS> source : register(t3);
RWBuffer<WORDS> table : register(u0);

// The place of the slot's winner among the tuples, or NONE.
uint winner_of(uint slot)
{
  uint code = winners[slot];
  uint t = (first_wins != 0u ? ~code : code - 1u) - base;
  return code != 0u && t < count ? t : NONE;
}

#if UNIT == 1
void move(uint e)
{
  uint word;
  if (copies != 0u) word = source[e];
  else word = table[e];
  [loop] for (uint b = 0u; b < 4u; b++) {
    uint o = e * 4u + b - table_first;  // below 0: huge
    if (o < end) {
      uint slot = o / width, t = winner_of(slot);
      if (t != NONE) {
        uint i = rows_first + t * width + (o - slot * width);
        uint byte = (rows[i >> 2] >> ((i & 3u) * 8u)) & 0xffu;
        word = (word & ~(0xffu << (b * 8u))) | (byte << (b * 8u));
      }
    }
  }
  table[e] = word;
}
#else
void move(uint e)
{
  uint slot = e / width, t = winner_of(slot);
  if (t != NONE) table[table_first + e] = rows[rows_first + t * width + (e - slot * width)];
  else if (copies != 0u) table[table_first + e] = source[table_first + e];
}
#endif

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  [loop] for (uint s = 0u; s < stops; s++) if (status[s] != NONE) return;
  uint first = group_of(group) * (GROUP * 4u) + thread.x;
  [unroll] for (uint u = 0u; u < 4u; u++) {
    uint e = first + u * GROUP;
    if (e < total) move(e);
  }
}
