// rows[t] = table[slot of t], where the slot lies in the table's window; the fill value for FILL.
#include "common.hlsli"
#include "tuples.hlsli"
#include "unit.hlsli"

cbuffer Parameters : register(b0)
{
  Tuples tuples;
  uint total;        // units to write (words where UNIT is 1)
  uint width;        // units a row
  uint table_first;  // units of the view before the window
  uint rows_first;   // units of the view before this dispatch's
  uint end;          // bytes to write, where UNIT is 1
  uint fill_period;  // units until the fill value repeats
  uint fill_first;   // the first column's place in it
};
Buffer<uint> indices : register(t0);
Buffer<WORDS> table : register(t1);
Buffer<WORDS> fill : register(t2);
RWBuffer<WORDS> rows : register(u0);
RWStructuredBuffer<uint> status : register(u1);

#if UNIT == 1
uint load_byte(Buffer<uint> from, uint i) { return (from[i >> 2] >> ((i & 3u) * 8u)) & 0xffu; }

// A word may hold bytes of several rows, and of rows of other dispatches before and after these.
void move(uint e)
{
  uint word = rows[e], slot = NONE, next = 0u;  // tuples from `next` on have not been looked up
  [loop] for (uint b = 0u; b < 4u; b++) {
    uint o = e * 4u + b - rows_first;  // below 0: huge
    if (o < end) {
      uint t = o / width, c = o - t * width;
      if (t >= next) {
        slot = slot_of(tuples, indices, status, t);
        next = t + 1u;
      }
      if (slot != NONE) {
        uint byte = slot == FILL ? load_byte(fill, (fill_first + c) % fill_period)
                                 : load_byte(table, table_first + slot * width + c);
        word = (word & ~(0xffu << (b * 8u))) | (byte << (b * 8u));
      }
    }
  }
  rows[e] = word;
}
#else
void move(uint e)
{
  uint t = e, c = 0u;
  if (width != 1u) {
    t = e / width;
    c = e - t * width;
  }
  uint slot = slot_of(tuples, indices, status, t);
  if (slot == FILL) rows[rows_first + e] = fill[(fill_first + c) % fill_period];
  else if (slot != NONE) rows[rows_first + e] = table[table_first + slot * width + c];
}
#endif

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint first = group_of(group) * (GROUP * 4u) + thread.x;
  [unroll] for (uint u = 0u; u < 4u; u++) {
    uint e = first + u * GROUP;
    if (e < total) move(e);
  }
}
