// table[slot of t] = rows[t] for each tuple that is its slot's winner, of a table with many more rows
// than tuples. Nothing is written if a tuple was bad.
#include "common.hlsli"
#include "unit.hlsli"

cbuffer Constants : register(b0)
{
  PutParameters p;
};
Buffer<WORDS> rows : register(t0);
Buffer<uint> winners : register(t1);
Buffer<uint> status : register(t2);
Buffer<uint> slots : register(t3);
#if UNIT == 1
RWStructuredBuffer<uint> table : register(u0);
#else
RWBuffer<WORDS> table : register(u0);
#endif

#include "bad.hlsli"
#include "entries.hlsli"

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint e = group_of(group) * GROUP + thread.x;
  if (e >= p.total) return;
  uint bad = first_bad();
  uint t = e / p.width, slot = slots[t];
  if (slot >= p.slots_end || tuple_of(winners[slot]) != t) return;
  uint from = p.rows_first + e, to = p.table_first + slot * p.width + (e - t * p.width);
#if UNIT == 1
  // Others write the word's other bytes.
  uint byte = rows[from >> 2] >> ((from & 3u) * 8u), bit = (to & 3u) * 8u;
  uint changed = (byte ^ (table[to >> 2] >> bit)) & 0xffu;
  if (is_good(bad)) InterlockedXor(table[to >> 2], changed << bit);
#else
  WORDS unit = rows[from];
  if (is_good(bad)) table[to] = unit;
#endif
}
